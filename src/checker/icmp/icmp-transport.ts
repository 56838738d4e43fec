import type { EchoRequest } from './icmp-packet';

/** An echo request was answered, somebody said that it cannot be delivered, or it did not leave this machine. */
export interface IcmpEvent {
  kind: 'reply' | 'unreachable' | 'not_sent';
  sequence: number;
  /** `null` when an error quoted too little of the request. */
  token: Buffer | null;
  /** Whom the request was for: the sender of a reply, the quoted destination of an error. */
  peer: Buffer;
  /** When it reached this machine, on the clock of `performance.now()`. */
  receivedAtMs: number;
  /** What an error said, for `not_sent` the name of the system's error; empty for a reply. */
  reason: string;
}

/**
 * An open ICMP socket of one IP version that serves all targets. Nothing in it keeps the process alive while no reply
 * is awaited.
 */
export interface IcmpSocket {
  /** Sends one request. Answers `null`, or the name of the system's error (`ENETUNREACH`), which may also come as an event. */
  send(request: Omit<EchoRequest, 'identifier'>, address: Buffer): string | null;
  /** Who is told what arrives; set once. */
  onEvent(listener: (event: IcmpEvent) => void): void;
  /** Whether replies are awaited; a polled port looks for them only then. */
  setAwaiting(awaiting: boolean): void;
  /** Reports what has arrived already and was not looked at yet: asked before a host is called silent. */
  drain(): void;
  close(): void;
}
