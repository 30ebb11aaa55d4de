package web_test

import (
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web"
)

// routeLine is one line of the route table.
type routeLine struct {
	Method, Path           string
	Open, Code, ActiveOnly bool
	JSON                   bool
	Kind                   pagetoken.Kind
}

// table returns every route that is mounted.
func (r *rig) table() (out []routeLine) {
	for _, rt := range r.server.Routes() {
		out = append(out, routeLine{rt.Method, rt.Path, rt.Right == web.Open, rt.Right == web.WithCode ||
			rt.Right == web.Public,
			rt.Right == web.WithActive, rt.JSON, rt.Kind})
	}
	return out
}
