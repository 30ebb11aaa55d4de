package sui

import (
	"encoding/binary"
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// ErrNoCoin is the cause of the error for an object that is not a coin.
var ErrNoCoin = errors.New("the object is not a coin")

// CoinObject is a coin decoded from object bytes. Its balance is in the coin's smallest units.
type CoinObject struct {
	ID      ObjectID
	Version uint64
	Owner   Owner
	Coin    CoinType
	Balance Raw
}

// ObjectDigest returns the digest under which effects name an object.
func ObjectDigest(b []byte) Digest { return Hash([]byte("Object::"), b) }

// DecodeCoinObject reads all of an object's BCS. It returns fault.InputInvalid with the cause
// ErrNoCoin for a package or an object that is not a coin.
func DecodeCoinObject(b []byte) (*CoinObject, error) {
	c, o := &bcs{reading: true, in: b}, new(CoinObject)
	c.coinObject(o)
	if err := c.finish(); err != nil {
		return nil, err
	}
	return o, nil
}

// noCoin is like fail, with the cause ErrNoCoin.
func noCoin(c *bcs, at int, text string) {
	if c.err == nil {
		c.fail(at, "%s", text)
		c.err = fault.Wrap(ErrNoCoin, fault.InputInvalid, "%s", fault.As(c.err).Text)
	}
}

// coinObject reads a Move object: its type (0 any struct, 1 the gas coin, 2 staked SUI, 3 another
// coin), whether it may be transferred, its version, and its contents, which are an id and a balance.
// The owner, the last transaction and the storage rebate follow.
func (c *bcs) coinObject(o *CoinObject) {
	if c.variant(0, "an object", "Move object", "package") != 0 {
		noCoin(c, 0, "the object is a package")
	}
	at := c.pos
	switch c.variant(0, "an object's type", "any", "gas coin", "staked SUI", "coin", "balance of SUI", "balance") {
	case 1:
		o.Coin = SUI
	case 3:
		var t TypeTag
		if c.typeTag(&t, 0); c.err == nil && t.Kind == TypeStruct {
			o.Coin = CoinType(t.String())
		}
	}
	if o.Coin == "" {
		noCoin(c, at, ErrNoCoin.Error())
	}
	var transfer bool
	c.bool(&transfer, "whether it may be transferred")
	c.u64(&o.Version, "the version")
	at = c.pos
	var contents []byte
	c.bytes(&contents, "the contents")
	if c.err == nil && len(contents) != len(o.ID)+8 {
		c.fail(at, "a coin has %s instead of 40", count(len(contents), "byte"))
	}
	if c.err == nil {
		o.ID = ObjectID(contents[:len(o.ID)])
		o.Balance = Raw(binary.LittleEndian.Uint64(contents[len(o.ID):]))
	}
	c.owner(&o.Owner)
	var previous Digest
	c.digest(&previous, "the last transaction")
	var rebate uint64
	c.u64(&rebate, "the storage rebate")
}
