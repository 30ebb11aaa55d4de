// Package floor reads transactions that call protocols described by data. From the bytes it
// reports what leaves at most, what surely arrives, or why the transaction is refused.
//
// A floor is a minimum that needs no protocol's word: SplitCoins takes the minimum out of the
// coin that a call returned, MergeCoins puts it back, and the chain fails the transaction if
// there is less. A protocol is one file in the folder protocols. It names functions, their
// arguments and words; everything that is guaranteed is judged here, whatever the file says.
package floor
