package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// embedded is the sandbox chain that lives in this process, once it is needed.
type embedded struct {
	named bool // a node is named, so there is none

	mu   sync.Mutex
	node *sandbox.Sandbox
	url  string
}

// openSandbox says where the sandbox chain is: at the named node; in this
// process, where it serves the pages; else in the process that does, as long as
// there is one. So the AI clients of one installation see one chain.
func (a *app) openSandbox(owned bool) error {
	var err error
	if a.options.services[settings.GRPC].URL != "" {
		a.chain.named = true
		a.local, err = sandboxProxy(a.options.services[settings.GRPC].URL)
		return err
	}
	if owned {
		a.options.services[settings.GRPC].URL, err = a.embed()
		if err == nil {
			a.local = a.chain.node.ControlHandler()
		}
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r := &chainRelay{to: a.chainAt, open: map[net.Conn]bool{}}
	done := make(chan struct{})
	go func() { defer close(done); r.serve(ln) }()
	a.later(func() { _ = ln.Close(); r.close(); <-done })
	a.options.services[settings.GRPC].URL = "http://" + ln.Addr().String()
	a.local, err = sandboxProxy(a.options.services[settings.GRPC].URL)
	return err
}

// embed starts this process's own sandbox chain and gives its address.
func (a *app) embed() (string, error) {
	a.chain.mu.Lock()
	defer a.chain.mu.Unlock()
	if a.chain.node != nil {
		return a.chain.url, nil
	}
	node, err := sandbox.New(sandbox.Config{Now: a.now})
	if err != nil {
		return "", err
	}
	node.ShowPermissions()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		node.Close()
		return "", err
	}
	go func() {
		if err := node.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("the sandbox ended", "cause", err)
		}
	}()
	a.chain.node, a.chain.url = node, "http://"+ln.Addr().String()
	return a.chain.url, nil
}

// closeChain ends the sandbox chain of this process.
func (a *app) closeChain() {
	a.chain.mu.Lock()
	defer a.chain.mu.Unlock()
	if a.chain.node != nil {
		a.chain.node.Close()
	}
}

// chainAt returns the address of the chain that the installation uses now.
func (a *app) chainAt(ctx context.Context) (string, error) {
	at, err := a.serving(ctx, patience)
	if err != nil {
		return "", err
	}
	if at.here || at.card.Node == "" {
		return a.embed()
	}
	return at.card.Node, nil
}

// chainRelay passes connections on to where the chain is at that moment. A connection
// ends with the chain behind it, and the next one finds another chain; the node
// client reads then which one it is.
type chainRelay struct {
	to func(context.Context) (string, error)

	mu   sync.Mutex
	done bool
	open map[net.Conn]bool
	work sync.WaitGroup
}

func (r *chainRelay) serve(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		if !r.enter(c) {
			return
		}
		r.work.Go(func() { defer r.leave(c); r.pass(c) })
	}
}

func (r *chainRelay) pass(near net.Conn) {
	url, err := r.to(context.Background())
	if err != nil {
		return // the caller sees that the node cannot be reached
	}
	far, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil || !r.enter(far) {
		return
	}
	defer r.leave(far)
	r.work.Go(func() {
		_, _ = io.Copy(near, far)
		_, _ = near.Close(), far.Close()
	})
	_, _ = io.Copy(far, near)
}

// enter remembers a connection, so that close ends it; false once closed.
func (r *chainRelay) enter(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		_ = c.Close()
		return false
	}
	r.open[c] = true
	return true
}

func (r *chainRelay) leave(c net.Conn) {
	_ = c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
}

// close ends all connections and waits for them.
func (r *chainRelay) close() {
	r.mu.Lock()
	r.done = true
	for c := range r.open {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.work.Wait()
}
