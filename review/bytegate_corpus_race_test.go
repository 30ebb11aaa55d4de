//go:build race

package review_test

// gateTransactions is how many transactions TestByteGate goes through: few, as the
// race detector slows a pure function down and finds nothing in it.
const gateTransactions = 40

// storeRaces is how many races TestOneReleaseInManyRaces runs at the store: few here, as each takes milliseconds of pure computing.
const storeRaces = 200

// racingStores is how many stores share these races, side by side.
const racingStores = 5
