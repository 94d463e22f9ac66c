// Builds the SDK into dist/: message types from the .proto files, JavaScript from TypeScript, and the
// .proto files themselves, which the library loads at run time.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const contract = join(here, "..", "..", "..", "proto");
const agentProto = "houseguest/agent/v1/agent.proto";
const require = createRequire(import.meta.url);

function run(script, ...words) {
  const done = spawnSync(process.execPath, [script, ...words], { cwd: here, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

if (!existsSync(join(contract, agentProto))) {
  console.error(`${join(contract, agentProto)} is missing: run the build inside the repository.`);
  process.exit(1);
}
for (const folder of ["dist", "src/generated"]) {
  rmSync(join(here, folder), { recursive: true, force: true });
}
run(
  require.resolve("@grpc/proto-loader/build/bin/proto-loader-gen-types.js"),
  ...["--grpcLib=@grpc/grpc-js", "--longs=String", "--defaults", "--oneofs"],
  ...["--importFileExtension=.js", "--includeDirs", contract, "--outDir=src/generated"],
  agentProto,
);
run(require.resolve("typescript/bin/tsc"));
cpSync(join(contract, dirname(agentProto)), join(here, "dist/proto", dirname(agentProto)), {
  recursive: true,
});
