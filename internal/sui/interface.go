package sui

// Interface lists the functions of a package that transactions can call, as reported by a node.
type Interface struct {
	Package  ObjectID          `json:"package"`
	Original ObjectID          `json:"original"` // the package's first version
	Version  uint64            `json:"version,string"`
	Modules  []ModuleInterface `json:"modules"`
}

// PackageVersion is one version of a package, as a node lists it.
type PackageVersion struct {
	Published ObjectID
	Version   uint64
}

// ModuleInterface is one module with the functions that a transaction can call.
type ModuleInterface struct {
	Name      string     `json:"name"`
	Functions []Function `json:"functions"`
}

// Function is a public or entry function. Parameters and results are Move types as text.
type Function struct {
	Name       string   `json:"name"`
	Entry      bool     `json:"entry"`
	Public     bool     `json:"public"`
	TypeParams int      `json:"type_parameters"`
	Parameters []string `json:"parameters"`
	Returns    []string `json:"returns"`
}

// PackageCode is the code of a package, as reported by a node. Links maps the original ID of each
// dependency to the ID that is loaded.
type PackageCode struct {
	Original ObjectID
	Version  uint64
	Links    map[ObjectID]ObjectID
	Modules  [][]byte
}
