import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { UptimeClient } from '../../client/index.cjs';
import { CommandError } from '../uptime/io';

/** The request can't be executed as given, and nothing was changed. `data` helps the caller correct it. */
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
  /** Text written by the tool. Untrusted text belongs in `data`. */
  text: string;
  data: Data;
}

/** All hints are required, because clients assume the worst if one is missing. */
type Hints = Required<Omit<ToolAnnotations, 'title'>>;

interface ToolForm {
  name: string;
  /** Shown to people. */
  title: string;
  /** Shown to the model. It is hard-coded and never contains untrusted text. */
  description: string;
  /** The role that the API key needs. Tools that need a higher role than the key has aren't listed. */
  role: 'read' | 'responder' | 'write';
  hints: Hints;
}

interface ToolSpec<In extends z.ZodType, Out extends z.ZodType> extends ToolForm {
  input: In;
  output: Out;
  /** Throws: `CommandError` or `UptimeError` for errors that the caller can fix. */
  run(input: z.output<In>, uptime: UptimeClient): Promise<Told<z.output<Out>>>;
}

export interface Tool extends ToolForm {
  input: z.ZodType;
  output: z.ZodType;
  /**
   * Runs the tool. `input` must match the schema. Throws: `CommandError` or `UptimeError` for errors that the caller
   * can fix.
   */
  run(input: unknown, uptime: UptimeClient): Promise<Told<unknown>>;
}

/** Erases the input and output types. The schemas still carry them. */
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
