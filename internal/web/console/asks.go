package console

// consoleAsk is a button of the console that asks the program for something, by the bus
// and without the AI client. Kind is that of a request of package worker that needs no
// payload; Label is the button, and Answer begins the line of what came.
type consoleAsk struct{ Kind, Label, Answer string }

// consoleAsks are the buttons. A kind gets its button by a line here; the members of
// its answer are shown as they are.
var consoleAsks = []consoleAsk{
	{"gas_price", "Price of gas", "The price of gas"},
	{"balance_check", "Balance of the account", "The balance of the account in use"},
}
