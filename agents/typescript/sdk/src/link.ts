import { accessSync, constants, existsSync, readFileSync } from "node:fs";

import {
  credentials,
  Metadata,
  type CallOptions,
  type ChannelCredentials,
  type ChannelOptions,
  type ClientUnaryCall,
  type requestCallback,
} from "@grpc/grpc-js";

import { pause } from "./duration.js";
import { SetupError, UnreachableError } from "./errors.js";
import type { AgentServiceClient } from "./generated/houseguest/agent/v1/AgentService.js";
import type { ClientInfo } from "./generated/houseguest/agent/v1/ClientInfo.js";
import type { HelloResponse__Output } from "./generated/houseguest/agent/v1/HelloResponse.js";
import type { Settings } from "./options.js";
import { Backoff, classifyCall, TransientError } from "./retry.js";
import { PROTOCOL_REVISION, VERSION } from "./version.js";
import { AgentService } from "./wire.js";

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024; // The protocol's cap on one message.

const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  // Only this library retries: gRPC's retries would ignore the session's epoch.
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
};
// Only TCP can lose its peer without notice, so a Unix socket needs no probes.
const TCP_OPTIONS: ChannelOptions = {
  ...CHANNEL_OPTIONS,
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
};

/** The agent's declaration, stored with the run unverified. `configuration` is its settings. */
export interface AgentInfo {
  readonly name: string;
  readonly version?: string;
  /** The agent's model; omit it if the agent uses none. */
  readonly model?: string;
  readonly configuration?: Readonly<Record<string, string | number | boolean>>;
}

/** A unary method of the stub, as `Link.call` uses it. */
export type Method<Request, Answer> = (
  request: Request,
  metadata: Metadata,
  options: CallOptions,
  callback: requestCallback<Answer>,
) => ClientUnaryCall;

/** A channel, its stub and the metadata of every call. */
export class Link {
  readonly stub: AgentServiceClient;
  readonly metadata = new Metadata();

  /** Does not connect yet. Throws SetupError if the certificates cannot be read. */
  constructor(private readonly settings: Settings) {
    const { address, token } = settings;
    this.metadata.set("authorization", `Bearer ${token}`);
    const options = address.startsWith("unix:") ? CHANNEL_OPTIONS : TCP_OPTIONS;
    this.stub = new AgentService(address, readCredentials(settings), options);
  }

  /** Makes one call with a time limit in seconds. Rejects with a Problem. */
  call<Request, Answer>(
    method: Method<Request, Answer>,
    request: Request,
    timeout: number,
  ): Promise<Answer> {
    const options = { deadline: Date.now() + timeout * 1000 };
    return new Promise((resolve, reject) => {
      method(request, this.metadata, options, (error, answer) => {
        if (error) reject(classifyCall(error));
        else if (answer) resolve(answer);
        else reject(new TransientError("an answer without a message"));
      });
    });
  }

  /**
   * Sends the agent's declaration. Rejects with UnreachableError if no service answers within
   * `connectPatience`, with TokenRefusedError, or with SetupError if the service uses another
   * revision of the protocol.
   */
  async hello(agent: AgentInfo): Promise<HelloResponse__Output> {
    const request = { protocolRevision: PROTOCOL_REVISION, client: introduction(agent) };
    const patience = this.settings.retry.connectPatience;
    const backoff = new Backoff(this.settings.retry, patience);
    const method: Method<typeof request, HelloResponse__Output> = (...to) => this.stub.hello(...to);
    for (;;) {
      try {
        const answer = await this.call(method, request, patience);
        checkRevision(answer);
        return answer;
      } catch (problem) {
        if (!(problem instanceof TransientError)) throw problem;
        await pause(this.#nextWait(backoff, problem));
      }
    }
  }

  #nextWait(backoff: Backoff, problem: TransientError): number {
    try {
      return backoff.next(problem);
    } catch (error) {
      const { address } = this.settings;
      const message = `No service answers at ${address}: ${problem.message}. ${advice(address)}`;
      throw new UnreachableError(message, "", { cause: error });
    }
  }

  /** Closes the channel and cancels open calls. */
  close(): void {
    this.stub.close();
  }
}

function introduction(agent: AgentInfo): ClientInfo {
  const settings = Object.entries(agent.configuration ?? {});
  return {
    agentName: agent.name,
    agentVersion: agent.version ?? "",
    sdkName: "houseguest-agent-typescript",
    sdkVersion: VERSION,
    model: agent.model ?? "",
    configuration: Object.fromEntries(settings.map(([name, value]) => [name, String(value)])),
  };
}

function checkRevision({ minProtocolRevision }: HelloResponse__Output): void {
  if (minProtocolRevision > PROTOCOL_REVISION) {
    throw new SetupError(
      `The service serves protocol revisions from ${minProtocolRevision}; houseguest-agent` +
        ` ${VERSION} speaks ${PROTOCOL_REVISION}. Update it.`,
    );
  }
}

function readCredentials({ address, ca }: Settings): ChannelCredentials {
  if (!ca || address.startsWith("unix:")) return credentials.createInsecure();
  try {
    return credentials.createSsl(readFileSync(ca));
  } catch (error) {
    const why = (error as Error).message;
    throw new SetupError(`Cannot read the root certificates '${ca}' (HOUSEGUEST_CA): ${why}.`);
  }
}

function advice(address: string): string {
  if (!address.startsWith("unix:")) {
    return "Check HOUSEGUEST_ADDRESS, that a run is open there, and HOUSEGUEST_CA for TLS.";
  }
  const path = address.replace(/^unix:(\/\/)?/, "");
  if (!existsSync(path)) {
    return "The socket does not exist: start the run first, or correct HOUSEGUEST_ADDRESS.";
  }
  try {
    accessSync(path, constants.W_OK);
  } catch {
    return "This process may not write to the socket: see its permissions.";
  }
  return "The socket exists, but no process listens on it: is the run still open?";
}
