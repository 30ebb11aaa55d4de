package console

// consoleAsk is a button of the console that sends a request to this program over the bus, without
// the AI client. Kind is a kind of request of package worker without a payload. Label is the text
// of the button. Answer begins the line that shows the response.
type consoleAsk struct{ Kind, Label, Answer string }

// consoleAsks are the buttons. To add a button, add a line here. The members of a response are
// shown unchanged.
var consoleAsks = []consoleAsk{
	{"gas_price", "Price of gas", "The price of gas"},
	{"balance_check", "Balance of the account", "The balance of the account in use"},
}
