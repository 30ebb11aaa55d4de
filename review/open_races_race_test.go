//go:build race

package review_test

// storeRaces is how many races TestOneReleaseInManyRaces runs at the store: few here, as each takes milliseconds of pure computing.
const storeRaces = 200

// racingStores is how many stores share these races, side by side.
const racingStores = 5
