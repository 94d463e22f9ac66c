import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import type { ProtoGrpcType } from "./generated/agent.js";

// The build puts them next to the compiled sources.
const CONTRACT = fileURLToPath(new URL("../proto", import.meta.url));
const AGENT_PROTO = "houseguest/agent/v1/agent.proto";

if (!existsSync(CONTRACT)) {
  throw new Error(`${CONTRACT} is missing. To create it: npm run build.`);
}

/** The contract's services and messages, with each message's reader and writer. */
export const definition = loadSync(AGENT_PROTO, {
  includeDirs: [CONTRACT],
  // As in the generated types: a uint64 does not fit into a number.
  longs: String,
  defaults: true,
  oneofs: true,
});

const loaded = loadPackageDefinition(definition) as unknown as ProtoGrpcType;

/** The stub of houseguest.agent.v1.AgentService, and its definition as `service`. */
export const AgentService = loaded.houseguest.agent.v1.AgentService;
