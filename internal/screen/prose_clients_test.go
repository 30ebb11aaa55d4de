//go:build clients

package screen_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// proseSeed orders the paragraphs, so that the fields of a document are any.
const proseSeed = 1

// podCode is the mark-up of Perl's documents: C<code>, L<link>. podIndex is an
// entry of the index, which is no part of what is read.
var (
	podCode  = regexp.MustCompile(`[A-Z]<+ ?([^<>]*) ?>+`)
	podIndex = regexp.MustCompile(`X<[^<>]*>`)
)

// prose gives the paragraphs, of 20 to 512 characters, of the documents that
// Debian's package perl-doc installs: English about programs, with code.
func prose(t testing.TB) []string {
	files, err := filepath.Glob("/usr/share/perl/5*/pod/*.pod")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d documents of Perl are here. On Debian, as root: apt-get install perl-doc", len(files))
	}
	seen := map[string]bool{}
	var all []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(raw), "\n\n") {
			part = strings.TrimSpace(podCode.ReplaceAllString(podIndex.ReplaceAllString(part, ""), "$1"))
			if n := len(part); n >= 20 && n <= 512 && !seen[part] {
				seen[part] = true
				all = append(all, part)
			}
		}
	}
	rand.New(rand.NewPCG(proseSeed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestProse: ordinary technical English comes through, alone and in documents of
// ten texts.
func TestProse(t *testing.T) {
	secrets, all := screen.NewSecrets(), prose(t)
	const enough = 30_000
	if len(all) < enough {
		t.Fatalf("%d paragraphs are here, not %d", len(all), enough)
	}
	all = all[:enough]
	refused := map[screen.Class]int{}
	sum := 0
	for _, text := range all {
		if class := secrets.Within(text); class != "" {
			refused[class]++
			sum++
			t.Logf("%s: %.160q", class, text)
		}
	}
	t.Logf("R004-356 %d of %d paragraphs refused (%.3f %%), seed %d: %v", sum, len(all), 100*float64(sum)/float64(len(all)), proseSeed, refused)
	if sum*1000 > len(all) {
		t.Errorf("more than 0.1 %% are refused")
	}
	documents, whole := 0, 0
	for ; len(all) >= 10; all = all[10:] {
		documents++
		if found, _, ok := secrets.Find(document(all[:10])); ok && found.Path == "" {
			whole++
			t.Logf("together %s", found.Class)
		}
	}
	t.Logf("%d of %d documents of ten refused for what stands in no field alone", whole, documents)
	if whole*1000 > documents {
		t.Errorf("more than 0.1 %% of the documents are refused together")
	}
}
