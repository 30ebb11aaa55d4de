package sui

// Interface is what a package offers to transactions, as a node reports it.
type Interface struct {
	Package  ObjectID          `json:"package"`
	Original ObjectID          `json:"original"` // its first version
	Version  uint64            `json:"version,string"`
	Modules  []ModuleInterface `json:"modules"`
}

// PackageVersion is one version of a package, as a node lists it.
type PackageVersion struct {
	Published ObjectID
	Version   uint64
}

// ModuleInterface is one module with those functions that a transaction can call.
type ModuleInterface struct {
	Name      string     `json:"name"`
	Functions []Function `json:"functions"`
}

// Function is a public or an entry function. Parameters and returns are Move types as
// text.
type Function struct {
	Name       string   `json:"name"`
	Entry      bool     `json:"entry"`
	Public     bool     `json:"public"`
	TypeParams int      `json:"type_parameters"`
	Parameters []string `json:"parameters"`
	Returns    []string `json:"returns"`
}

// PackageCode is the code of a package, as a node reports it. Links has, by the first id
// of each package that it depends on, the id that is loaded for it.
type PackageCode struct {
	Original ObjectID
	Version  uint64
	Links    map[ObjectID]ObjectID
	Modules  [][]byte
}
