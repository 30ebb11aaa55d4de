package main

import (
	"errors"
	"net"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// openSandbox locates the sandbox chain: at the configured node, or in this process.
func (a *app) openSandbox() error {
	node := &a.options.services[settings.GRPC]
	if node.URL != "" {
		local, err := sandboxProxy(node.URL)
		a.local = local
		return err
	}
	chain, url, err := a.embed()
	if err != nil {
		return err
	}
	node.URL, a.local = url, chain.ControlHandler()
	a.later(chain.Close)
	return nil
}

// embed starts a sandbox chain in this process and gives its address.
func (a *app) embed() (*sandbox.Sandbox, string, error) {
	node, err := sandbox.New(sandbox.Config{Now: a.now})
	if err != nil {
		return nil, "", err
	}
	node.ShowHoldings()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		node.Close()
		return nil, "", err
	}
	go func() {
		if err := node.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("the sandbox ended", "cause", err)
		}
	}()
	return node, "http://" + ln.Addr().String(), nil
}
