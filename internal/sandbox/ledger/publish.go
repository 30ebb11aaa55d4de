package ledger

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Retired is the abort of every call to a package version that its protocol no longer accepts.
type Retired struct {
	Module string
	Code   uint64
}

// Publish adds a newer version of a program's package and returns it. edit, if not nil, changes the
// functions. Objects stay unchanged. If old is not nil, calls to the previous version abort with
// it.
func (l *Ledger) Publish(pkg sui.ObjectID, old *Retired, edit func([]Function) []Function) sui.PackageVersion {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := *l.program(pkg)
	next := Program{Package: DerivedID("published", pkg, p.Version), Original: p.Original, Version: p.Version + 1,
		Functions: slices.Clone(p.Functions)}
	if edit != nil {
		next.Functions = edit(next.Functions)
	}
	if old != nil {
		l.retired[pkg] = *old
	}
	l.programs = append(l.programs, next)
	return sui.PackageVersion{Published: next.Package, Version: next.Version}
}

// Versions lists the known versions of a package in ascending order. It is empty for a package that the
// sandbox does not simulate.
func (l *Ledger) Versions(of sui.ObjectID) (list []sui.PackageVersion) {
	original, version, ok := l.Package(of)
	if !ok {
		return nil
	}
	list = append(list, sui.PackageVersion{Published: of, Version: version})
	for _, p := range l.programs {
		if p.Original == original && p.Package != of && !original.IsZero() {
			list = append(list, sui.PackageVersion{Published: p.Package, Version: p.Version})
		}
	}
	slices.SortFunc(list, func(a, b sui.PackageVersion) int { return int(a.Version) - int(b.Version) })
	return list
}
