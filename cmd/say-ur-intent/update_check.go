package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// Addresses of the project's releases.
const (
	releasesHost = "https://api.github.com"
	releasesPath = "/repos/sayurintent/sayurintent/releases/latest"
	releasesPage = "https://github.com/sayurintent/sayurintent/releases"
)

// update is the command's result as JSON.
type update struct {
	Version string `json:"version"`          // this program's version
	Newest  string `json:"newest,omitempty"` // "" if none was published
	// Newer is "yes", "no", or "unknown" if this version is not a release.
	Newer string `json:"newer"`
	Page  string `json:"page"`
}

func updateCheckCommand(p process) *cobra.Command {
	var asJSON bool
	var from string
	cmd := &cobra.Command{Use: "update-check", Short: "Look for a newer release",
		Long: "Checks the project's releases page for the newest version. It does so only when you run this " +
			"command,\nsends none of your data, and changes nothing.",
		Example: examples("say-ur-intent update-check", "say-ur-intent update-check --from https://mirror.example"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runUpdateCheck(p, asJSON, from) }}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON for programs")
	cmd.Flags().StringVar(&from, "from", releasesHost, "`URL` of a copy of that page's API")
	return cmd
}

// runUpdateCheck compares this version with the newest release.
func runUpdateCheck(p process, asJSON bool, from string) error {
	newest, err := newestRelease(from)
	if err != nil {
		explained := fmt.Errorf("%s\nThe releases are at %s", words(err), releasesPage)
		switch {
		case fault.Is(err, fault.InputInvalid):
			return bad(explained)
		case fault.Is(err, fault.ProviderUnavailable):
			return unreachable(explained)
		}
		return explained
	}
	u := update{Version: version, Newest: newest, Newer: newer(version, newest), Page: releasesPage}
	if asJSON {
		return printJSON(p, u)
	}
	fmt.Fprintln(p.Stdout, u.sentence())
	return nil
}

// sentence describes the result to the user.
func (u update) sentence() string {
	switch {
	case u.Newest == "":
		return "No release yet. This is " + u.Version + "."
	case u.Newer == "yes":
		return "Version " + u.Newest + " is available; this is " + u.Version + ". Changes and files: " + u.Page
	case u.Newer == "no":
		return "This is the newest version: " + u.Version + "."
	}
	return "The newest release is " + u.Newest + ". This is " + u.Version +
		", built from source, so the two cannot be compared."
}

// newestRelease returns the version of the newest release, or "" if there is none. Drafts and
// prereleases do not count.
func newestRelease(from string) (string, error) {
	client, err := provider.New(provider.Config{URL: from, Name: "the releases page",
		Advice: "everything works without it.", MaxBody: 1 << 20})
	if err != nil {
		return "", err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	answer, err := client.Get(ctx, releasesPath, nil)
	if fault.Is(err, fault.ProviderRefused) && fault.As(err).Detail.Get("status") == "404" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	release, err := provider.Decode[struct {
		Tag string `json:"tag_name"`
	}](client, answer.Body)
	if err != nil {
		return "", err
	}
	// The tag comes from the page, so it is printed only if it is a version number.
	//mutant:never `!releaseVersion.MatchString(release.Tag)` ./cmd/say-ur-intent TestUpdateCheck
	if !releaseVersion.MatchString(release.Tag) {
		return "", client.Nonsense(nil, "names no version")
	}
	return strings.TrimPrefix(release.Tag, "v"), nil
}

// releaseVersion matches the tag of a release.
var releaseVersion = regexp.MustCompile(`^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$`)

// newer returns "yes" or "no", depending on whether newest is later than here. It returns "unknown"
// if here is not a release, because development builds cannot be compared.
func newer(here, newest string) string {
	here, _, _ = strings.Cut(here, "+") // a build of a release's commit has a suffix
	mine, theirs := releaseVersion.FindStringSubmatch(here), releaseVersion.FindStringSubmatch(newest)
	if mine == nil || theirs == nil {
		return "unknown"
	}
	for i := 1; i < len(mine); i++ {
		a, _ := strconv.Atoi(mine[i])
		b, _ := strconv.Atoi(theirs[i])
		if a != b {
			return map[bool]string{true: "yes", false: "no"}[b > a]
		}
	}
	return "no"
}
