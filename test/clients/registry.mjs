// The constants of the official DeepBook package, for comparison.
import { mainnetCoins, mainnetPackageIds, mainnetPools } from '@mysten/deepbook-v3';

process.stdout.write(JSON.stringify({ coins: mainnetCoins, pools: mainnetPools, packages: mainnetPackageIds }));
