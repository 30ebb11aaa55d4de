package tool

// PlannedForTests is a name that the plan has and no tool carries: every real
// one exists.
const PlannedForTests = "read.not_built_yet"

func init() {
	catalogue = append(catalogue, Entry{PlannedForTests, Planned, "Stands for what is still to come."})
}
