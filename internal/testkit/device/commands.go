package device

import "encoding/binary"

// command reads a command and interprets it as the device does.
func (p *parser) command() (r result) {
	switch p.uleb() {
	case 0:
		return p.call()
	case 1:
		objects, to := p.arguments(), p.argument()
		need(p.what == "" || p.what == "transfer")
		p.what = "transfer"
		p.recipient(to)
		need(len(objects) > 0)
		for _, o := range objects {
			p.add(o)
		}
	case 2:
		coin, amounts := p.argument(), p.arguments()
		r = result{kind: split, coin: p.source(coin)}
		for _, a := range amounts {
			r.parts = append(r.parts, p.value(a, amount).n)
		}
	case 3:
		into := p.argument()
		p.merge(into, p.arguments())
	case 5:
		need(p.uleb() == 0) // no type
		objects := p.arguments()
		need(len(objects) > 0)
		total, gas := p.total, p.gas
		p.total, p.gas = nil, false
		for _, o := range objects {
			p.add(o)
		}
		r = result{kind: list, coin: p.total.Type, amount: p.total.Amount, gas: p.gas}
		p.total, p.gas = total, gas
	default:
		blind()
	}
	return r
}

func (p *parser) argument() (a argument) {
	a.kind = p.uleb()
	need(a.kind <= 3)
	if a.kind > 0 {
		a.at = int(binary.LittleEndian.Uint16(p.take(2)))
	}
	if a.kind == 3 {
		a.part = int(binary.LittleEndian.Uint16(p.take(2)))
	}
	return a
}

func (p *parser) arguments() (list []argument) {
	n := p.uleb()
	need(n <= maxArguments)
	for range n {
		list = append(list, p.argument())
	}
	return list
}

// value returns the input of the given kind that an argument refers to.
func (p *parser) value(a argument, kind int) *input {
	need(a.kind == 1 && a.at < len(p.inputs) && p.inputs[a.at].kind == kind)
	return &p.inputs[a.at]
}

// result returns the result of the given kind that an argument refers to.
func (p *parser) result(a argument, kind int) *result {
	need(a.kind >= 2 && a.at < len(p.results) && p.results[a.at].kind == kind)
	return &p.results[a.at]
}

func (p *parser) recipient(a argument) {
	to := p.value(a, address).id
	need(p.to == nil || *p.to == to)
	p.to = &to
}

// loaded returns the coin behind an input, as the wallet describes it.
func (p *parser) loaded(a argument) *Coin {
	in := p.value(a, object)
	if in.loaded == nil {
		c, given := p.objects(in.id)
		need(given)
		in.loaded = &c
	}
	return in.loaded
}

// coin returns the coin that an argument refers to. Callers handle the gas coin.
func (p *parser) coin(a argument) Coin {
	switch a.kind {
	case 1:
		return *p.loaded(a)
	case 2:
		r := p.result(a, split)
		need(len(r.parts) == 1)
		return Coin{r.coin, r.parts[0]}
	}
	r := p.result(a, split)
	need(a.part < len(r.parts))
	return Coin{r.coin, r.parts[a.part]}
}

// add adds a coin to the total, which has a single type.
func (p *parser) add(a argument) {
	if p.total == nil {
		p.total = &Coin{Type: SUI}
		if a.kind != 0 {
			p.total.Type = p.coin(a).Type
		}
	}
	if a.kind == 0 {
		need(p.total.Type == SUI && !p.gas)
		p.gas = true
		return
	}
	c := p.coin(a)
	need(c.Type == p.total.Type)
	p.total.Amount += c.Amount
}

// source returns the type of the coin that is split.
func (p *parser) source(a argument) string {
	switch a.kind {
	case 0:
		return SUI
	case 1:
		return p.loaded(a).Type
	}
	need(a.kind == 3)
	return p.result(a, split).coin
}

func (p *parser) merge(into argument, sources []argument) {
	of, sum := SUI, uint64(0)
	if into.kind != 0 {
		need(into.kind != 2)
		of = p.coin(into).Type
	}
	for _, s := range sources {
		need(s.kind != 0)
		c := p.coin(s)
		need(c.Type == of)
		sum += c.Amount
	}
	switch into.kind {
	case 0:
		p.merged += sum
	case 1:
		p.loaded(into).Amount += sum
	case 3:
		p.result(into, split).parts[into.part] += sum
	}
}

func (p *parser) call() (r result) {
	pkg := p.id()
	names := [2]string{}
	for i := range names {
		n := p.uleb()
		need(n <= maxName)
		names[i] = string(p.take(n))
	}
	need(p.uleb() == 0) // type arguments
	args := p.arguments()
	need(p.what == "" && pkg == [32]byte{31: 3})
	at := func(i int) argument {
		need(i < len(args))
		return args[i]
	}
	name := names[0] + "::" + names[1]
	if name == "staking_pool::split" {
		return result{kind: stakePart, amount: p.value(at(1), amount).n}
	}
	need(p.value(at(0), shared).id == [32]byte{31: 5})
	switch name {
	case "sui_system::request_add_stake":
		p.add(at(1))
		p.recipient(at(2))
		p.what = "stake"
	case "sui_system::request_add_stake_mul_coin":
		coins := p.result(at(1), list)
		p.total, p.gas = &Coin{coins.coin, coins.amount}, coins.gas
		need(at(1).kind == 2)
		if n := p.value(at(2), optional).n; n > 0 {
			p.total.Amount = n
		}
		p.recipient(at(3))
		p.what = "stake"
	case "sui_system::request_withdraw_stake":
		p.what = "unstake"
		if a := at(1); a.kind == 2 && a.at < len(p.results) && p.results[a.at].kind == stakePart {
			p.total = &Coin{SUI, p.results[a.at].amount}
		} else {
			p.add(a)
		}
	default:
		blind()
	}
	return r
}
