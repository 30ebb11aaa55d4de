package bus

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Question is a question that a task asks the user. An AI client wrote the text, and pages say so.
type Question struct {
	Text    string   `json:"question"`
	Choices []string `json:"choices,omitempty"` // the only valid answers; empty allows any text
}

// PromptKind is the kind of a prompt, and of the answer that a page posts to it.
const PromptKind = "user_prompt"

// ErrorDeclined is the error of a task whose question the user declined to answer.
const ErrorDeclined = "declined"

// WaitsPerson is Task.WaitingFor of a task that waits for the user's answer.
const WaitsPerson = "person"

// Stages of a question.
const (
	StageQuestion = "asked"
	StageAnswer   = "answered"
)

// Answer is the user's answer. It is the result of the task.
type Answer struct {
	Answer string `json:"answer"`
}

// Check returns fault.InputInvalid for a question that a page cannot show, or that seems to contain
// a secret.
func (q Question) Check() error {
	list := append([]string{q.Text}, q.Choices...)
	for i, text := range list {
		most := mostChoice
		if i == 0 {
			most = MostQuestion
		}
		switch n := utf8.RuneCountInString(text); {
		case strings.TrimSpace(text) == "":
			return fault.New(fault.InputInvalid, "A question and its choices must not be empty.")
		case n > most:
			return fault.New(fault.InputInvalid, "Question or choice too long (max %d and %d characters).", MostQuestion, mostChoice)
		case slices.Contains(q.Choices[:max(i-1, 0)], text):
			return fault.New(fault.InputInvalid, "Two choices are the same.")
		}
	}
	if len(q.Choices) == 1 || len(q.Choices) > MostChoices {
		return fault.New(fault.InputInvalid, "Pass 2 to %d choices, or none.", MostChoices)
	}
	//mutant:never ./internal/bus TestQuestion
	if found, secret := screen.Find("question", q, nil); secret {
		return fault.New(fault.InputInvalid, "The question contains %s. The user was not asked.", found.Class.Words())
	}
	return nil
}

// Read decodes an answer posted by a page. It returns fault.InputInvalid if the answer is not one
// of the choices or seems to contain a secret. The question then stays open.
func (q Question) Read(payload json.RawMessage) (Answer, error) {
	a, err := strictjson.Decode[Answer](payload)
	if err != nil {
		return a, err
	}
	//mutant:never ./internal/bus TestQuestion
	if len(q.Choices) > 0 && !slices.Contains(q.Choices, a.Answer) {
		return a, fault.New(fault.InputInvalid, "The answer is not one of the choices.")
	}
	switch n := utf8.RuneCountInString(a.Answer); {
	case strings.TrimSpace(a.Answer) == "":
		return a, fault.New(fault.InputInvalid, "Write an answer first.")
	case n > MostAnswer:
		return a, fault.New(fault.InputInvalid, "Answer too long (max %d characters).", MostAnswer)
	}
	//mutant:never ./internal/bus TestQuestion
	if found, secret := screen.Find("answer", a, nil); secret {
		return a, fault.New(fault.InputInvalid, "Your answer contains %s. It was not sent to the AI client.",
			found.Class.Words())
	}
	lines := strings.Split(strings.ReplaceAll(a.Answer, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = screen.Line(line, 0)
	}
	return Answer{strings.Join(lines, "\n")}, nil
}

// Opening returns the first events of a task that asks the user, or none for other tasks.
func (t Task) Opening() ([]Event, error) {
	if t.Question == nil {
		return nil, nil
	}
	card, err := Display(Prompt{t.ID, PromptKind, *t.Question})
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "A question cannot be encoded.")
	}
	return t.events(card, ToolProgress{TaskID: t.ID, ToolName: t.Tool, Stage: StageQuestion})
}
