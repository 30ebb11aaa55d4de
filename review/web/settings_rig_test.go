package web_test

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// outside represents name servers and nodes. "here.example" serves this network, "far.example"
// another one, "inside.example" resolves to a private address, and other names are unknown.
type outside struct{}

func (outside) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case host == "inside.example":
		return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("169.254.169.254")}, nil
	case strings.HasSuffix(host, ".example"):
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	return nil, fault.New(fault.ProviderUnavailable, "no such host")
}

func (outside) ChainOf(_ context.Context, _ settings.Which, e settings.Endpoint) (string, error) {
	if e.Host == "far.example" {
		return "", fault.New(fault.NetworkMismatch, "It serves another chain than sui:sandbox.")
	}
	return "4c78adac", nil
}

// settings returns the settings service with the program's dependencies.
func (r *rig) settings() *settings.Service { return settings.New(r.settingsConfig()) }

// backup returns the backup service with the program's dependencies.
func (r *rig) backup() *backup.Service { return r.backupOf(r.db, r.settings()) }

func (r *rig) backupOf(store backup.Store, service *settings.Service) *backup.Service {
	return backup.New(backup.Config{Store: store, Settings: service, Now: time.Now, Network: "sui:sandbox"})
}

func (r *rig) settingsConfig() settings.Config {
	defaults := [settings.Count]string{settings.GRPC: "http://127.0.0.1:9000",
		settings.GraphQL: "http://127.0.0.1:9000/graphql",
		settings.Second:  "none", settings.Archive: "none", settings.Indexer: "https://indexer.example",
		settings.Quoter: "https://quoter.example"}
	var inForce [settings.Count]settings.InForce
	for w, url := range defaults {
		inForce[w] = settings.InForce{URL: strings.TrimPrefix(url, "none"), Source: settings.FromDefault}
	}
	inForce[settings.GraphQL] = settings.InForce{URL: "https://alice:hunter2@graph.example/v1/s3cret",
		Source: settings.FromEnvironment}
	return settings.Config{
		Store: r.db, Resolver: outside{}, Prober: outside{}, InForce: inForce, Defaults: defaults,
		Released: func(ctx context.Context) ([]policy.Release, time.Time, error) {
			handed, err := r.db.Handed(ctx, time.Now().Add(-policy.Day))
			return record.ReleasesOf(handed), time.Now(), err
		},
		Protocols: []policy.Protocol{{Slug: "deep", Name: "DeepBookV3"}, {Slug: "flowx", Name: "FlowX"}},
	}
}
