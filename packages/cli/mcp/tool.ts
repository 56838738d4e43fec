import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { UptimeClient } from '../../client/index.cjs';
import { CommandError } from '../uptime/io';

/** What was asked for cannot be done as it was asked; nothing was done. `data` helps to ask again. */
export class InputError extends CommandError {
  constructor(
    readonly code: 'unclear_reference' | 'unclear_type',
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** What a tool found or did. */
export interface Told<Data> {
  /** In our own words, without a text of others: those are data. */
  text: string;
  data: Data;
}

/** Every hint is given: what is left out would count as the worst. */
type Hints = Required<Omit<ToolAnnotations, 'title'>>;

interface ToolForm {
  name: string;
  /** For people. */
  title: string;
  /** For the model, written here: never a text of others. */
  description: string;
  /** What the key must be allowed to; tools that it is not allowed to use are not listed. */
  role: 'read' | 'write';
  hints: Hints;
}

/** A tool as it is written down: what goes in and out is checked by its schemas. */
interface ToolSpec<In extends z.ZodType, Out extends z.ZodType> extends ToolForm {
  input: In;
  output: Out;
  /** Throws `CommandError` or `UptimeError` for what the caller can do something about. */
  run(input: z.output<In>, uptime: UptimeClient): Promise<Told<z.output<Out>>>;
}

/** A tool as it is served. */
export interface Tool extends ToolForm {
  input: z.ZodType;
  output: z.ZodType;
  /** `input` has passed the schema. Throws `CommandError` or `UptimeError` for what the caller can do something about. */
  run(input: unknown, uptime: UptimeClient): Promise<Told<unknown>>;
}

/** Forgets the types of input and output, which the schemas carry. */
export const tool = <In extends z.ZodType, Out extends z.ZodType>(spec: ToolSpec<In, Out>): Tool => ({
  ...spec,
  run: (input, uptime) => spec.run(input as z.output<In>, uptime),
});

/** Hints of a tool that only looks at what the service has. */
export const LOOKS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
