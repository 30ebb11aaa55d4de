package double

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports returns free ports of 127.0.0.1 below those that systems assign, because no other test gets
// one by chance before its server listens, or while the server is stopped.
func Ports(t testing.TB, count int) (ports []int) {
	t.Helper()
	var last error
	for range 1000 {
		port := 20_000 + rand.IntN(12_000)
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			last = err
			continue
		}
		defer func() { _ = l.Close() }()
		if ports = append(ports, port); len(ports) == count {
			return ports
		}
	}
	t.Fatal("no free ports: ", last)
	return nil
}
