//go:build !race

package review_test

// storeRaces is how many races TestOneReleaseInManyRaces runs at the store.
const storeRaces = 10_000

// racingStores is how many stores share these races, side by side.
const racingStores = 20
