package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// Operations, by their names in the WebSocket tool protocol.
const (
	ToolGrep   = "grep_file"
	ToolRead   = "read_file"
	ToolChain  = "call_chain"
	ToolChange = "apply_change"
)

// Executor runs the four operations on the project with the given key. Answers have both fields and
// the Markdown text of the protocol. Local is the executor of this program.
type Executor interface {
	Grep(ctx context.Context, key string, r Search) (*GrepAnswer, error)
	Read(ctx context.Context, key string, r ReadRequest) (*ReadAnswer, error)
	CallChain(ctx context.Context, key string, r ChainRequest) (*ChainAnswer, error)
	// ApplyChange returns an error if the change was not applied and never will be. If the user has
	// to confirm the change, it waits until ctx ends and then withdraws the change.
	ApplyChange(ctx context.Context, key string, r ChangeRequest) (*ChangeAnswer, error)
}

// Forwarder passes a call to the connected editor of a project, and returns the editor's text. If
// connected is false, no editor is connected and the call was not sent.
type Forwarder interface {
	Connected(key string) bool
	Forward(ctx context.Context, key, tool string, params map[string]any) (result string, connected bool, err error)
}

// Mode says what clients may change in a project.
type Mode string

// Modes, which only the user can set.
const (
	ReadOnly Mode = "read_only" // nothing
	Confirm  Mode = "confirm"   // changes that the user confirms on the console page
	// Auto lets clients change all files except denied ones. Files that other programs execute
	// still need to be confirmed. Changes can be undone.
	Auto Mode = "auto"
)

// Valid reports whether m is one of the modes.
func (m Mode) Valid() bool { return m == ReadOnly || m == Confirm || m == Auto }

// Folder is a project that the user registered. Root is a path on this machine, which only the
// settings page shows.
type Folder struct {
	Key   string
	Root  string
	Mode  Mode
	Added time.Time
}

// Registry returns the registered projects, ordered by key.
type Registry interface {
	Folders(ctx context.Context) ([]Folder, error)
}

// GrepAnswer is the answer to a search.
type GrepAnswer struct {
	Project string
	Search  Search
	*Matches
}

// ReadAnswer is the answer to a read.
type ReadAnswer struct {
	Project string
	*Text
}

// ChainRequest is a request for a call chain. Its fields are those of graph.Query.
type ChainRequest struct {
	Method        string
	Direction     graph.Direction
	Depth         int
	IncludeSource bool
}

// ChainAnswer is a call chain. Notes describe its limits.
type ChainAnswer struct {
	Project string
	Request ChainRequest
	*graph.Chain
	Files   map[string]string // file of each function with a source, by ID
	LeftOut int               // number of sources that were omitted for size
	Notes   []string
}

// ChangeRequest replaces the only occurrence of Search by Replace. If Search is empty, it creates
// the file.
type ChangeRequest struct {
	Path        string
	Search      string
	Replace     string
	Description string
}

// ChangeAnswer is an applied change. Diff is a unified diff with relative paths.
type ChangeAnswer struct {
	Project string
	ID      string
	Path    string
	Created bool
	Diff    string
	Note    string // how the search text was found, unless it matched exactly
}

// FileError is an error about one file of a project. Path is relative.
type FileError struct {
	Path string
	Err  error
}

// Error returns the path and the reason. For a missing file it returns the text that the protocol
// specifies.
func (e *FileError) Error() string {
	if errors.Is(e.Err, ErrNotExist) {
		return "文件不存在: " + e.Path
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// Errors of an executor.
var (
	ErrProject   = errors.New("no project with this key is registered")
	ErrGone      = errors.New("the folder of the project cannot be opened now")
	ErrReadOnly  = errors.New("the project is read-only: the user can allow changes on the settings page")
	ErrTool      = errors.New("unknown tool; known tools are grep_file, read_file, call_chain and apply_change")
	ErrDeclined  = errors.New("the user declined the change; nothing was written")
	ErrWithdrawn = errors.New("the user did not confirm the change in time; it was withdrawn and nothing was written")
)

func fileError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &FileError{Path: path, Err: err}
}

// MissingError means that a call lacks a required parameter.
type MissingError struct{ Tool, Field string }

// Error names the tool and the parameter.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: the required parameter %s is missing", e.Tool, e.Field)
}

// ValidKey reports whether key is a valid key of a project.
func ValidKey(key string) bool { return keyForm.MatchString(key) }
