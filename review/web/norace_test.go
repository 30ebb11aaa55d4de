//go:build !race

package web_test

const slower = 1
