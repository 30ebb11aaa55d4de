package sui

// TransactionEffects describes the result of a transaction, decoded from bytes whose digest validators
// sign in a checkpoint. Failure is nil if it succeeded, and Events is nil if it emitted none. First is
// set only for effects of version 1, which have none of the fields below it.
type TransactionEffects struct {
	Failure      *ExecutionFailure
	Epoch        uint64
	Gas          GasCost
	Transaction  Digest
	Events       *Digest
	Dependencies []Digest

	First *FirstEffects

	GasObject *uint32 // index into Changed
	Version   uint64  // of every written Move object
	Changed   []ChangedObject
	Unchanged []UnchangedObject
	Auxiliary *Digest
}

// ChangedObject is an object's state before the transaction, nil if it did not exist, and after it.
// Operation is 0 for none, 1 for created and 2 for deleted.
type ChangedObject struct {
	ID        ObjectID
	Before    *ObjectBefore
	After     ObjectAfter
	Operation uint32
}

// ObjectBefore is the state of an object before a transaction.
type ObjectBefore struct {
	Version uint64
	Digest  Digest
	Owner   Owner
}

// Kinds of ObjectAfter.
const (
	AfterNothing     uint32 = iota // deleted or wrapped
	AfterObject                    // written: Digest and Owner
	AfterPackage                   // written: Version and Digest
	AfterAccumulator               // changed address balance: Accumulator
)

// ObjectAfter is the state of an object after a transaction.
type ObjectAfter struct {
	Kind        uint32
	Version     uint64
	Digest      Digest
	Owner       Owner
	Accumulator *AccumulatorWrite
}

// AccumulatorWrite adds to an address balance or, if Split is set, subtracts from it. Values has one or
// two numbers. If it is empty, Events lists the additions to an event stream.
type AccumulatorWrite struct {
	Address Address
	Type    TypeTag
	Split   bool
	Values  []uint64
	Events  []AccumulatorEvent
}

// AccumulatorEvent is an entry in an event stream.
type AccumulatorEvent struct {
	Index  uint64
	Digest Digest
}

// UnchangedObject is an object that was read but not written. Kind 0 has Version and Digest, kind 4
// has neither, and every other kind has Version.
type UnchangedObject struct {
	ID      ObjectID
	Kind    uint32
	Version uint64
	Digest  Digest
}

// FirstEffects describes objects in effects of version 1, which do not contain the objects' previous
// digests.
type FirstEffects struct {
	ModifiedAt           []ObjectVersion
	Shared               []ObjectRef
	Created              []OwnedRef
	Mutated              []OwnedRef
	Unwrapped            []OwnedRef
	Deleted              []ObjectRef
	UnwrappedThenDeleted []ObjectRef
	Wrapped              []ObjectRef
	Gas                  OwnedRef
}

// ObjectVersion is an object's id and version, without its digest.
type ObjectVersion struct {
	ID      ObjectID
	Version uint64
}

// OwnedRef is an object and its owner.
type OwnedRef struct {
	Ref   ObjectRef
	Owner Owner
}

// OK reports whether the transaction succeeded.
func (e *TransactionEffects) OK() bool { return e.Failure == nil }

// Ref returns an object's version and digest after the transaction or, if before is set, before it. It
// returns false if the effects do not contain them.
func (e *TransactionEffects) Ref(id ObjectID, before bool) (ObjectRef, bool) {
	if f := e.First; f != nil {
		for _, list := range [][]OwnedRef{f.Created, f.Mutated, f.Unwrapped} {
			for _, o := range list {
				if !before && o.Ref.ID == id {
					return o.Ref, true
				}
			}
		}
		return ObjectRef{}, false
	}
	for _, c := range e.Changed {
		switch {
		case c.ID != id:
		case before && c.Before != nil:
			return ObjectRef{ID: id, Version: c.Before.Version, Digest: c.Before.Digest}, true
		case !before && c.After.Kind == AfterObject:
			return ObjectRef{ID: id, Version: e.Version, Digest: c.After.Digest}, true
		case !before && c.After.Kind == AfterPackage:
			return ObjectRef{ID: id, Version: c.After.Version, Digest: c.After.Digest}, true
		}
	}
	return ObjectRef{}, false
}

// DecodeEffects reads all of b. It returns fault.InputInvalid for invalid bytes, with the cause
// ErrUnknownVariant for a variant of a newer chain.
func DecodeEffects(b []byte) (*TransactionEffects, error) {
	c, e := &bcs{reading: true, in: b}, new(TransactionEffects)
	c.effects(e)
	if err := c.finish(); err != nil {
		return nil, err
	}
	return e, nil
}

// Encode returns the BCS that DecodeEffects reads.
func (e *TransactionEffects) Encode() ([]byte, error) {
	c := new(bcs)
	c.effects(e)
	return c.out, c.err
}

func (c *bcs) effects(e *TransactionEffects) {
	version := uint32(1)
	if e.First != nil {
		version = 0
	}
	version = c.variant(version, "the effects", "version 1", "version 2")
	failed := uint32(0)
	if e.Failure != nil {
		failed = 1
	}
	if c.variant(failed, "the status", "success", "failure") == 1 {
		if c.reading {
			e.Failure = new(ExecutionFailure)
		}
		c.failure(e.Failure)
	}
	c.u64(&e.Epoch, "the epoch")
	c.gas(&e.Gas)
	if version == 0 {
		if c.reading {
			e.First = new(FirstEffects)
		}
		c.first(e, e.First)
		return
	}
	c.digest(&e.Transaction, "the transaction's digest")
	option(c, &e.GasObject, "the gas object", func(v *uint32) { c.u32(v, "the gas object") })
	option(c, &e.Events, "the events digest", func(d *Digest) { c.digest(d, "the events digest") })
	c.dependencies(&e.Dependencies)
	c.u64(&e.Version, "the version of the written objects")
	vector(c, &e.Changed, 32+3, "the changed objects", c.changed)
	vector(c, &e.Unchanged, 32+1, "the unchanged objects", c.unchanged)
	option(c, &e.Auxiliary, "the auxiliary digest", func(d *Digest) { c.digest(d, "the auxiliary digest") })
}

func (c *bcs) dependencies(v *[]Digest) {
	vector(c, v, 33, "the dependencies", func(d *Digest) { c.digest(d, "a dependency") })
}

// first reads or writes the fields that follow the gas cost in version 1.
func (c *bcs) first(e *TransactionEffects, f *FirstEffects) {
	refs := func(v *[]ObjectRef, what string) { vector(c, v, refSize, what, c.ref) }
	owned := func(v *[]OwnedRef, what string) { vector(c, v, refSize+1, what, c.ownedRef) }
	vector(c, &f.ModifiedAt, 40, "the versions before", func(v *ObjectVersion) {
		c.fixed(v.ID[:], "an object id")
		c.u64(&v.Version, "an object version")
	})
	refs(&f.Shared, "the shared objects")
	c.digest(&e.Transaction, "the transaction's digest")
	owned(&f.Created, "the created objects")
	owned(&f.Mutated, "the mutated objects")
	owned(&f.Unwrapped, "the unwrapped objects")
	refs(&f.Deleted, "the deleted objects")
	refs(&f.UnwrappedThenDeleted, "the objects unwrapped and deleted")
	refs(&f.Wrapped, "the wrapped objects")
	c.ownedRef(&f.Gas)
	option(c, &e.Events, "the events digest", func(d *Digest) { c.digest(d, "the events digest") })
	c.dependencies(&e.Dependencies)
}

func (c *bcs) ownedRef(o *OwnedRef) {
	c.ref(&o.Ref)
	c.owner(&o.Owner)
}

// owner reads or writes an Owner; variants are OwnerKind values minus one.
func (c *bcs) owner(o *Owner) {
	kind := c.variant(uint32(o.Kind)-1, "an owner", "address", "object", "shared", "immutable", "consensus address")
	set(c, &o.Kind, OwnerKind(kind+1))
	if c.err != nil {
		return
	}
	switch o.Kind {
	case OwnerAddress, OwnerObject:
		c.fixed(o.Address[:], "an owner")
	case OwnerShared:
		c.u64(&o.InitialVersion, "a first version")
	case OwnerConsensusAddress:
		c.u64(&o.InitialVersion, "a first version")
		c.fixed(o.Address[:], "an owner")
	}
}

func (c *bcs) changed(o *ChangedObject) {
	c.fixed(o.ID[:], "an object id")
	option(c, &o.Before, "an object before", func(b *ObjectBefore) {
		c.u64(&b.Version, "an object version")
		c.digest(&b.Digest, "an object digest")
		c.owner(&b.Owner)
	})
	after := &o.After
	kind := c.variant(after.Kind, "an object after", "nothing", "object", "package", "accumulator")
	set(c, &after.Kind, kind)
	switch kind {
	case AfterObject:
		c.digest(&after.Digest, "an object digest")
		c.owner(&after.Owner)
	case AfterPackage:
		c.u64(&after.Version, "a package version")
		c.digest(&after.Digest, "a package digest")
	case AfterAccumulator:
		if c.reading {
			after.Accumulator = new(AccumulatorWrite)
		}
		c.accumulator(after.Accumulator)
	}
	operation := c.variant(o.Operation, "an operation", "none", "created", "deleted")
	set(c, &o.Operation, operation)
}

func (c *bcs) accumulator(w *AccumulatorWrite) {
	c.fixed(w.Address[:], "an address")
	c.typeTag(&w.Type, 0)
	split := uint32(0)
	if w.Split {
		split = 1
	}
	set(c, &w.Split, c.variant(split, "an accumulator's operation", "merge", "split") == 1)
	kind := uint32(2)
	if n := len(w.Values); n == 1 || n == 2 {
		kind = uint32(n - 1)
	}
	kind = c.variant(kind, "an accumulator's value", "number", "two numbers", "events")
	at := c.pos
	if kind < 2 {
		if c.reading {
			w.Values = make([]uint64, kind+1)
		}
		for i := range w.Values {
			c.u64(&w.Values[i], "an accumulator's number")
		}
		return
	}
	vector(c, &w.Events, 8+33, "an accumulator's events", func(e *AccumulatorEvent) {
		c.u64(&e.Index, "an event's place")
		c.digest(&e.Digest, "an event's digest")
	})
	//mutant:never ./internal/sui TestEffectsRefused/no events in a stream
	if c.err == nil && len(w.Events) == 0 {
		c.fail(at, "an accumulator's events are none")
	}
}

func (c *bcs) unchanged(o *UnchangedObject) {
	c.fixed(o.ID[:], "an object id")
	kind := c.variant(o.Kind, "an unchanged object", "read", "deleted, for writing", "deleted, for reading",
		"cancelled", "of the epoch", "of the epoch with its version")
	set(c, &o.Kind, kind)
	if kind != 4 {
		c.u64(&o.Version, "an object version")
	}
	if kind == 0 {
		c.digest(&o.Digest, "an object digest")
	}
}
