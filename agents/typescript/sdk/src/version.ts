/** The version of this library. */
export const VERSION = "0.1.0";

/** The revision of houseguest.agent.v1 that this library was built against. */
export const PROTOCOL_REVISION = 2;
