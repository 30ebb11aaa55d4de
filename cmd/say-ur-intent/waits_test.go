package main

import "testing"

func TestStatusCountsQuestions(t *testing.T) {
	for want, s := range map[string]serverStatus{
		"nothing waits":                      {},
		"open questions: 1":                  {Questions: 1},
		"open reviews: 2":                    {Open: 2},
		"open reviews: 2; open questions: 3": {Open: 2, Questions: 3},
		"open reviews: 2, without a result yet: 1; open questions: 1": {Open: 2, Waiting: 1, Questions: 1},
	} {
		if got := s.waits(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
