package registry

import "github.com/sayurintent/sayurintent/internal/sui"

// Provenance of this file: pools and package ids are the mainnet constants of npm @mysten/deepbook-v3
// 1.4.1. Package numbers and version constants, initial shared versions and observed book parameters
// come from MystenLabs/deepbookv3 at 4ac0066c: its publication history and the mainnet checkpoints it
// ships as test data. Nothing here was read from a live chain.

// OriginalPackage is the first published package. DeepBook's Move types name it, whichever package is
// called.
var OriginalPackage = sui.MustAddress("0x2c8d603bc51326b8c13cef9dd07031a408a48dddb541963357661df5d3204809")

// Object is DeepBook's shared registry object of pools and managers. Its initial shared version is
// ObjectVersion.
var Object = sui.MustAddress("0xaf16199a2dff736e9f07a845f23c5da6df6f756eddb631aed9d24a93efc4549d")

// ObjectVersion is the initial shared version of Object.
const ObjectVersion uint64 = 336155480

// packageRows lists the published packages, newest first. A pool's allowed versions contain the version
// constant, which package 7 did not raise.
var packageRows = []packageRow{
	{8, 8, "0x0e735f8c93a95722efd73521aca7a7652c0bb71ed1daf41b26dfd7d1ff71f748"},
	{7, 6, "0xf48222c4e057fa468baf136bff8e12504209d43850c5778f76159292a96f621e"},
	{6, 6, "0x337f4f4f6567fcd778d5454f27c16c70e2f274cc6377ea6249ddf491482ef497"},
	{5, 5, "0x2d93777cc8b67c064b495e8606f2f8f5fd578450347bbe7b36e0bc03963c1c40"},
	{4, 4, "0x00c1a56ec8c4c623a848b2ed2f03d23a25d17570b670c22106f336eb933785cc"},
	{3, 3, "0xb29d83c26cdd2a64959263abbcfc4a6937f0c9fccaf98580ca56faded65be244"},
	{2, 2, "0xcaf6ba059d539a97646d47f0b9ddf843e138d215e2a12ca1f4585d386f7aec3a"},
	{1, 1, "0x2c8d603bc51326b8c13cef9dd07031a408a48dddb541963357661df5d3204809"},
}

// poolRows has one row per pool: key, object, base, quote, initial shared version (0 if unknown), and
// tick, lot and minimum size if a checkpoint showed them.
var poolRows = []poolRow{
	{"DEEP_SUI", "0xb663828d6217467c8a1838a03793da896cbe745b150ebd57d82f814ca579fc22",
		"DEEP", "SUI", 389_750_321, Observed{231_798_277, 10_000_000, 1_000_000, 10_000_000}},
	{"SUI_USDC", "0xe05dafb5133bcffb8d59f4e12465dc0e9faeaa05e3e342a08fe135800e3e4407",
		"SUI", "USDC", 389_750_322, Observed{234_928_968, 100, 100_000_000, 1_000_000_000}},
	{"DEEP_USDC", "0xf948981b806057580f91622417534f491da5f61aeaf33d0ed8e69fd5691c95ce",
		"DEEP", "USDC", 389_750_321, Observed{231_403_165, 10000, 1_000_000, 10_000_000}},
	{"WUSDT_USDC", "0x4e2ca3988246e1d50b9bf209abb9c1cbfec65bd95afdacc620a36c67bdb8452f",
		"WUSDT", "USDC", 400_279_088, Observed{}},
	{"WUSDC_USDC", "0xa0b9ebefb38c963fd115f52d71fa64501b79d1adcb5270563f92ce0442376545",
		"WUSDC", "USDC", 400_279_088, Observed{}},
	{"BETH_USDC", "0x1109352b9112717bd2a7c3eb9a416fff1ba6951760f5bdd5424cf5e4e5b3e65c",
		"BETH", "USDC", 389_750_322, Observed{100_005_828, 10000, 10000, 100_000}},
	{"NS_USDC", "0x0c0fdd4008740d81a8a7d4281322aee71a1b62c449eb5b142656753d89ebc060",
		"NS", "USDC", 414_947_421, Observed{234_134_370, 10000, 100_000, 1_000_000}},
	{"NS_SUI", "0x27c4fdb3b846aa3ae4a65ef5127a309aa3c1f466671471a806d8912a18b253e8",
		"NS", "SUI", 414_947_421, Observed{234_920_766, 10_000_000, 100_000, 1_000_000}},
	{"TYPUS_SUI", "0xe8e56f377ab5a261449b92ac42c8ddaacd5671e9fec2179d7933dd1a91200eec",
		"TYPUS", "SUI", 414_947_422, Observed{100_005_828, 10000, 100_000_000, 1_000_000_000}},
	{"SUI_AUSD", "0x183df694ebc852a5f90a959f0f563b82ac9691e42357e9a9fe961d71a1b809c8",
		"SUI", "AUSD", 414_947_423, Observed{136_638_306, 100, 100_000_000, 1_000_000_000}},
	{"AUSD_USDC", "0x5661fc7f88fbeb8cb881150a810758cf13700bb4e1f31274a244581b37c303c3",
		"AUSD", "USDC", 414_947_423, Observed{}},
	{"DRF_SUI", "0x126865a0197d6ab44bfd15fd052da6db92fd2eb831ff9663451bbfa1219e2af2",
		"DRF", "SUI", 414_947_424, Observed{134_926_531, 1_000_000, 1_000_000, 10_000_000}},
	{"SEND_USDC", "0x1fe7b99c28ded39774f37327b509d58e2be7fff94899c06d22b407496a6fa990",
		"SEND", "USDC", 414_947_426, Observed{}},
	{"WAL_USDC", "0x56a1c985c1f1123181d6b881714793689321ba24301b3585eec427436eb1c76d",
		"WAL", "USDC", 414_947_427, Observed{193_585_515, 1, 100_000_000, 1_000_000_000}},
	{"WAL_SUI", "0x81f5339934c83ea19dd6bcc75c52e83509629a5f71d3257428c2ce47cc94d08b",
		"WAL", "SUI", 414_947_427, Observed{234_918_188, 1000, 100_000_000, 1_000_000_000}},
	{"XBTC_USDC", "0x20b9a3ec7a02d4f344aa1ebc5774b7b0ccafa9a5d76230662fdc0300bb215307",
		"XBTC", "USDC", 556_438_674, Observed{222_155_035, 10_000_000, 1000, 1000}},
	{"IKA_USDC", "0xfa732993af2b60d04d7049511f801e79426b2b6a5103e22769c0cead982b0f47",
		"IKA", "USDC", 589_011_838, Observed{231_798_277, 1, 10_000_000_000, 10_000_000_000}},
	{"ALKIMI_SUI", "0x84752993c6dc6fce70e25ddeb4daddb6592d6b9b0912a0a91c07cfff5a721d89",
		"ALKIMI", "SUI", 0, Observed{}},
	{"LZWBTC_USDC", "0xf5142aafa24866107df628bf92d0358c7da6acc46c2f10951690fd2b8570f117",
		"LZWBTC", "USDC", 0, Observed{231_798_277, 10_000_000, 1000, 1000}},
	{"USDT_USDC", "0xfc28a2fb22579c16d672a1152039cbf671e5f4b9f103feddff4ea06ef3c2bc25",
		"USDT", "USDC", 0, Observed{}},
	{"SUIUSDE_USDC", "0x0fac1cebf35bde899cd9ecdd4371e0e33f44ba83b8a2902d69186646afa3a94b",
		"SUIUSDE", "USDC", 0, Observed{}},
	{"SUI_SUIUSDE", "0x034f3a42e7348de2084406db7a725f9d9d132a56c68324713e6e623601fb4fd7",
		"SUI", "SUIUSDE", 0, Observed{}},
	{"SUI_USDSUI", "0x826eeacb2799726334aa580396338891205a41cf9344655e526aae6ddd5dc03f",
		"SUI", "USDSUI", 0, Observed{}},
	{"USDSUI_USDC", "0xa374264d43e6baa5aa8b35ff18ff24fdba7443b4bcb884cb4c2f568d32cdac36",
		"USDSUI", "USDC", 0, Observed{}},
}
