package main

import (
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// sandboxProxy forwards /sandbox/ from the pages to a sandbox elsewhere on this machine. It drops
// the headers that show a request's origin, because the sandbox rejects browsers, and the page's
// token, which the sandbox must not see.
func sandboxProxy(node string) (http.Handler, error) {
	target, err := url.Parse(node)
	if err != nil || target.Scheme != "http" || target.Host == "" {
		return nil, fault.New(fault.InputInvalid,
			"With --network sandbox, SUI_GRPC_URL is a sandbox's http://127.0.0.1:port.")
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			for _, name := range []string{"Origin", "Authorization", "Cookie", "Referer"} {
				r.Out.Header.Del(name)
			}
		},
	}, nil
}
