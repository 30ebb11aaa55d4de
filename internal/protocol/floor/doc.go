// Package floor reads transactions that call protocols described by data. From the bytes it reports the
// maximum that leaves and the minimum that arrives, or why the transaction is refused.
//
// A floor is a minimum that does not depend on the protocol: SplitCoins splits the minimum off the coin
// that a call returned, and MergeCoins merges it back. If there is less, the chain aborts the
// transaction. A protocol is one file in the folder protocols. It lists functions, their arguments and
// texts. All guarantees are checked here, whatever the file says.
package floor
