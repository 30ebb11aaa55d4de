package main

import (
	"errors"
	"net"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// openSandbox locates the sandbox chain: at the configured node, or in this process.
func (o *external) openSandbox() error {
	node := &o.options.services[settings.GRPC]
	if node.URL != "" {
		local, err := sandboxProxy(node.URL)
		o.local = local
		return err
	}
	chain, url, err := o.embed()
	if err != nil {
		return err
	}
	node.URL, o.local = url, chain.ControlHandler()
	o.later(chain.Close)
	return nil
}

// embed starts a sandbox chain in this process and returns its address.
func (o *external) embed() (*sandbox.Sandbox, string, error) {
	node, err := sandbox.New(sandbox.Config{Now: o.now})
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
			o.log.Error("the sandbox ended", "cause", err)
		}
	}()
	return node, "http://" + ln.Addr().String(), nil
}
