package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const toolInterfaces = "task.fetch_package_interfaces"

// Limits of one task.
const (
	mostPackages      = 8
	mostInterfaceText = 24 << 10 // maximum size of all signatures in a result, in bytes
)

// packages reads the interfaces of packages.
type packages interface {
	Functions(ctx context.Context, id sui.ObjectID) (sui.Interface, error)
}

// packageOrModule is the id of a package, or of one of its modules.
type packageOrModule string

// Shape implements tool.Shaped.
func (packageOrModule) Shape() tool.Shape { return tool.Shape{MinLength: 3, MaxLength: 200} }

// read returns the package and the module. The module is "" for all.
func (p packageOrModule) read() (sui.ObjectID, string, error) {
	id, module, one := strings.Cut(string(p), "::")
	v, err := sui.ParseAddress(id)
	if err != nil || one && !sui.ValidIdentifier(module) {
		return v, "", fault.New(fault.InputInvalid,
			"Each of packages must be the id of a package, such as 0x2, or one of its modules, such as 0x2::coin.").With("field", "packages")
	}
	return v, module, nil
}

type fetchInterfacesIn struct {
	Packages []packageOrModule `json:"packages" description:"1 to 8, such as 0x2 or 0x2::coin"`
}

// interfacesRead is the task's result. It has one entry for each requested package, in order.
type interfacesRead struct {
	Packages []interfaceRead `json:"packages"`
}

// interfaceRead is the result for one package. Functions holds Move signatures, each with its
// module.
type interfaceRead struct {
	Asked     packageOrModule `json:"asked"`
	Package   sui.ObjectID    `json:"package"`
	Version   uint64          `json:"version,omitempty,string"`
	Functions []string        `json:"functions,omitempty"`
	// LeftOut is the number of functions omitted because the result is full.
	LeftOut int    `json:"leftOutCount,omitempty"`
	Error   string `json:"error,omitempty"`
	Next    string `json:"next,omitempty"`
}

// taskFetchPackageInterfaces starts a task that reads which functions transactions can call in
// several packages.
func taskFetchPackageInterfaces(r runner, p packages, c conversations, network string) tool.Tool {
	return tool.Declare(tool.Spec[fetchInterfacesIn, begunOut]{
		Name:  toolInterfaces,
		Title: "Fetch package interfaces",
		Summary: "Reads from the node, as a task, the callable functions of up to 8 Move packages or modules, with " +
			"signatures.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetBus,
		Errors:    []fault.Code{fault.RateLimited},
		Cases:     begunCases("It reads package by package; the result has the signatures."),
		Examples: []tool.Example{
			{Name: "one module", Given: givenNothing, In: `{"packages":["0x2::coin"]}`, Case: caseBegun},
			{Name: "none", Given: givenNothing, In: `{"packages":[]}`, Fault: fault.InputInvalid},
			{Name: "too many tasks", Given: givenBusy, In: `{"packages":["0x2"]}`, Fault: fault.RateLimited},
			{Name: "no package", Given: givenNothing, In: `{"packages":["coin"]}`, Fault: fault.InputInvalid},
		},
		Run: func(call tool.Call, in fetchInterfacesIn) (begunOut, error) {
			if n := len(in.Packages); n == 0 || n > mostPackages {
				return begunOut{}, fault.New(fault.InputInvalid, "Pass 1 to %d packages.", mostPackages).With("field", "packages")
			}
			for _, name := range in.Packages {
				if _, _, err := name.read(); err != nil {
					return begunOut{}, err
				}
			}
			t, err := r.Start(call.Context(), worker.Job{Session: c.Bus(call.Context()), Kind: bus.KindInterfaces,
				Tool: toolInterfaces},
				func(ctx context.Context, tell worker.Tell) (any, error) {
					return fetchInterfaces(ctx, p, in.Packages, tell)
				})
			return beganAs(call, network, t), err
		},
		Undo: unbegin(c),
	})
}

// fetchInterfaces reads the packages one after another. If one cannot be read, its entry contains
// the error.
func fetchInterfaces(ctx context.Context, p packages, names []packageOrModule, tell worker.Tell) (interfacesRead,
	error) {
	var out interfacesRead
	room := mostInterfaceText
	for i, name := range names {
		if err := tell(fmt.Sprintf("package_%d", i+1), "reads "+string(name), float64(i)/float64(len(names))); err != nil {
			return out, err
		}
		id, module, err := name.read()
		if err != nil {
			return out, err
		}
		entry := interfaceRead{Asked: name, Package: id}
		found, err := p.Functions(ctx, id)
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil:
			entry.Error = fault.As(err).Text
		default:
			entry.Version = found.Version
			entry.fill(found, module, &room)
		}
		out.Packages = append(out.Packages, entry)
	}
	return out, nil
}

// fill adds the functions of module, or of all modules if it is "", until the result is full.
func (e *interfaceRead) fill(found sui.Interface, module string, room *int) {
	known := module == ""
	for _, m := range found.Modules {
		if module != "" && m.Name != module {
			continue
		}
		known = true
		for _, f := range m.Functions {
			text := signature(m.Name, f)
			if *room -= len(text) + 4; *room < 0 {
				e.LeftOut++
				continue
			}
			e.Functions = append(e.Functions, text)
		}
	}
	switch {
	case !known:
		e.Error = "The package has no module with this name."
	case e.LeftOut > 0:
		e.Next = "Request single modules, as package::module."
	}
}

// signature returns a function in Move syntax.
func signature(module string, f sui.Function) string {
	kind := ""
	switch {
	case f.Public && f.Entry:
		kind = "public entry "
	case f.Public:
		kind = "public "
	case f.Entry:
		kind = "entry "
	}
	text := kind + module + "::" + f.Name
	if f.TypeParams > 0 {
		var list []string
		for i := range f.TypeParams {
			list = append(list, fmt.Sprintf("T%d", i))
		}
		text += "<" + strings.Join(list, ", ") + ">"
	}
	text += "(" + strings.Join(f.Parameters, ", ") + ")"
	switch len(f.Returns) {
	case 0:
	case 1:
		text += ": " + f.Returns[0]
	default:
		text += ": (" + strings.Join(f.Returns, ", ") + ")"
	}
	return typeParameter.ReplaceAllString(shortID.ReplaceAllString(text, "0x$1"), "T$1")
}

// Patterns that shorten ids in types and replace $0 with the name of a type parameter.
var (
	shortID       = regexp.MustCompile(`0x0{40,}([0-9a-f]+)`)
	typeParameter = regexp.MustCompile(`\$([0-9]+)`)
)
