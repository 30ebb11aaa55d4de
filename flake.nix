{
  description = "Say Ur Intent: your AI client prepares Sui transactions that only you can sign";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      version = self.shortRev or "dirty";
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGo126Module {
          pname = "say-ur-intent";
          inherit version;
          src = self;
          # make flake writes it.
          vendorHash = "sha256-kFGHlLIKQH3imlgdWiEVMsbbel7cm4GiP41dtc/8RLk=";
          subPackages = [ "cmd/say-ur-intent" "cmd/say-ur-intent-client" ];
          env.CGO_ENABLED = 0;
          tags = [ "grpcnotrace" ];
          ldflags = [ "-s" "-w" "-X main.version=0.0.0-nix+g${version}" ];
          doCheck = false; # make test needs a browser
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            export HOME=$TMPDIR
            installShellCompletion --cmd say-ur-intent \
              --bash <($out/bin/say-ur-intent completion bash) \
              --zsh <($out/bin/say-ur-intent completion zsh) \
              --fish <($out/bin/say-ur-intent completion fish)
            $out/bin/say-ur-intent manual >say-ur-intent.1
            installManPage say-ur-intent.1
          '';
          meta = {
            description = "Transactions on Sui that a person reads before their wallet signs";
            homepage = "https://github.com/sayurintent/sayurintent";
            license = nixpkgs.lib.licenses.mit;
            mainProgram = "say-ur-intent";
          };
        };
      });
    };
}
