import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { UptimeClient } from '../../client/index.cjs';
import { CommandError } from '../uptime/io';

/** The request cannot be executed as given, and nothing was done. `data` helps to correct the request. */
export class InputError extends CommandError {
  constructor(
    readonly code: 'unclear_reference' | 'unclear_type',
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

export interface Told<Data> {
  /** Text that the tool wrote. Untrusted text belongs in `data`. */
  text: string;
  data: Data;
}

/** All hints are required, because clients assume the worst for a missing one. */
type Hints = Required<Omit<ToolAnnotations, 'title'>>;

interface ToolForm {
  name: string;
  /** For people. */
  title: string;
  /** For the model. It is written here and never contains untrusted text. */
  description: string;
  /** The role that the key needs. Tools that need more than the key's role are not listed. */
  role: 'read' | 'write';
  hints: Hints;
}

/** A tool as defined in the code. The schemas validate its input and output. */
interface ToolSpec<In extends z.ZodType, Out extends z.ZodType> extends ToolForm {
  input: In;
  output: Out;
  /** Throws: `CommandError` or `UptimeError` for errors that the caller can fix. */
  run(input: z.output<In>, uptime: UptimeClient): Promise<Told<z.output<Out>>>;
}

/** A tool as the server calls it. */
export interface Tool extends ToolForm {
  input: z.ZodType;
  output: z.ZodType;
  /**
   * Expects `input` to match the schema. Throws: `CommandError` or `UptimeError` for errors that the caller can fix.
   */
  run(input: unknown, uptime: UptimeClient): Promise<Told<unknown>>;
}

/** Erases the types of input and output. The schemas still carry them. */
export const tool = <In extends z.ZodType, Out extends z.ZodType>(spec: ToolSpec<In, Out>): Tool => ({
  ...spec,
  run: (input, uptime) => spec.run(input as z.output<In>, uptime),
});

export const LOOKS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
