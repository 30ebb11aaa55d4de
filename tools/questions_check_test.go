package tools_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkUse compares an answer's guidance with what the question allows.
func (s step) checkUse(t *testing.T, at string, data map[string]any) {
	t.Helper()
	can, cannot, fields := claims(data, "canAnswer"), claims(data, "cannotAnswer"), claims(data, "answerFields")
	for _, c := range s.can {
		if !slices.Contains(can, c) {
			t.Errorf("%s: it does not support %s: %v", at, c, can)
		}
	}
	for _, c := range s.cannot {
		if !slices.Contains(cannot, c) || slices.Contains(can, c) {
			t.Errorf("%s: it does not refuse %s", at, c)
		}
	}
	for _, path := range s.use {
		if !covered(path, fields) {
			t.Errorf("%s: the guidance does not allow %s: %v", at, path, fields)
		}
		if !present(data, path) {
			t.Errorf("%s: the answer has no %s", at, path)
		}
	}
	for list, paths := range map[string][]string{"preconditionFields": s.first, "conclusionRuleFields": s.limits} {
		for _, path := range paths {
			if !slices.Contains(claims(data, list), path) || !present(data, path) {
				t.Errorf("%s: %s is not among the %s, or is not there", at, path, list)
			}
		}
	}
	for _, path := range s.never {
		if covered(path, fields) || !present(data, path) {
			t.Errorf("%s: %s may be used in an answer, or is not there", at, path)
		}
	}
	for _, path := range s.lacks {
		if present(data, path) || slices.Contains(fields, path) {
			t.Errorf("%s: the answer has %s, or names it", at, path)
		}
	}
	next, _ := pick(data, "userAnswerUse.followUp.tool").(string)
	if s.next != "" && s.next != next && (s.next != "none" || next != "") {
		t.Errorf("%s: it goes on with %q, want %s", at, next, s.next)
	}
}

// covered reports whether a field is one of fields, or inside one.
func covered(path string, fields []string) bool {
	path = selector.ReplaceAllString(path, "[]")
	return slices.ContainsFunc(fields, func(f string) bool {
		return f == path || strings.HasPrefix(path, f+".") || strings.HasPrefix(path, f+"[]")
	})
}

func present(data map[string]any, path string) bool { return len(follow(data, path)) > 0 }

// pick returns the first value at a path, or nil.
func pick(data map[string]any, path string) any {
	if found := follow(data, path); len(found) > 0 {
		return found[0]
	}
	return nil
}

// selector is a part of a path that enters a list: [] for every element, [name=value] for those
// with this member.
var selector = regexp.MustCompile(`\[[^\]]*\]`)

// follow returns the values at a path; null counts as none.
func follow(v any, path string) []any {
	found := []any{v}
	for part := range strings.SplitSeq(path, ".") {
		name, choice, listed := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		var next []any
		for _, one := range found {
			members, _ := one.(map[string]any)
			value, ok := members[name]
			if !ok || value == nil {
				continue
			}
			list, isList := value.([]any)
			if !listed || !isList {
				next = append(next, value)
				continue
			}
			for _, element := range list {
				if chosen(element, choice) {
					next = append(next, element)
				}
			}
		}
		found = next
	}
	return found
}

// chosen reports whether an element of a list matches [name=value].
func chosen(element any, choice string) bool {
	if choice == "" {
		return true
	}
	name, want, _ := strings.Cut(choice, "=")
	members, _ := element.(map[string]any)
	have, _ := members[name].(string)
	return have == want
}

// checkFacts compares values: = as JSON, ~ with a pattern, has an element of a list or words of a
// text.
func (s step) checkFacts(t *testing.T, at string, data map[string]any, fill func(string) string) {
	t.Helper()
	for _, f := range s.facts {
		have, want := pick(data, f.path), fill(f.want)
		text, _ := have.(string)
		holds := false
		switch f.op {
		case "=":
			var value any
			if err := json.Unmarshal([]byte(want), &value); err != nil {
				t.Errorf("%s: %s is compared with %s, which is not JSON", at, f.path, want)
			}
			holds = have != nil && reflect.DeepEqual(have, value)
		case "~":
			pattern, err := regexp.Compile(want)
			holds = err == nil && pattern.MatchString(text)
		case "has":
			list, isList := have.([]any)
			holds = isList && slices.Contains(list, any(want)) || !isList && want != "" && strings.Contains(text, want)
		}
		if !holds {
			t.Errorf("%s: %s is %v, want %s %s", at, f.path, have, f.op, want)
		}
	}
}
