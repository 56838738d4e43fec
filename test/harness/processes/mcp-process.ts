import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, type RequestOptions, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const ROOT = join(__dirname, '../../..');
const LOADER = ['-r', './scripts/typescript.cjs'];
const PROGRAM = ['packages/cli/uptime.ts', 'mcp'];

export interface Called<Data> {
  isError: boolean;
  /** The text that a client without structured content shows its model. */
  text: string;
  data: Data;
}

interface Refused {
  error: { status: number | null; code: string; detail: string; what_to_do: string; retry_after_seconds?: number };
}

/** The `uptime mcp` command as a process, and an MCP client that started it. */
export class McpProcess {
  private constructor(
    readonly client: Client,
    private readonly transport: StdioClientTransport,
    private readonly lines: string[],
  ) {}

  /** Rejects if the process exits before it is ready. */
  static async start(url: string, key: string): Promise<McpProcess> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...LOADER, ...PROGRAM],
      cwd: ROOT,
      env: environment(url, key),
      stderr: 'pipe',
    });
    const lines: string[] = [];
    transport.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const client = new Client({ name: 'tests', version: '1' });
    await client.connect(transport);
    return new McpProcess(client, transport, lines);
  }

  /** Everything written to standard error so far. */
  get errors(): string {
    return this.lines.join('');
  }

  async tools(): Promise<Tool[]> {
    return (await this.client.listTools()).tools;
  }

  async call<Data = never>(name: string, args: object = {}, options: RequestOptions = {}): Promise<Called<Data>> {
    const { isError, content, structuredContent } = await this.client.callTool(
      { name, arguments: { ...args } },
      options,
    );
    const said = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { isError: isError === true, text: said, data: structuredContent as Data };
  }

  /**
   * Makes a call that must be refused, and returns the error as the model sees it. Throws if the call isn't refused.
   */
  async refused(name: string, args: object = {}): Promise<Refused['error']> {
    const { isError, text } = await this.call(name, args);
    if (!isError) throw new Error(`${name} was not refused: ${text}`);
    return (JSON.parse(text.slice(text.indexOf('\n') + 1)) as Refused).error;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The same process without a client, for tests of its raw output and how it exits. */
export class PlainMcp {
  private readonly out: Promise<string>;
  private readonly err: Promise<string>;
  private readonly ended: Promise<unknown[]>;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.out = text(child.stdout);
    this.err = text(child.stderr);
    this.ended = once(child, 'exit');
  }

  /** `preloads` are modules that are loaded before the program. */
  static start(url: string, key: string, preloads: readonly string[] = []): PlainMcp {
    const loaded = preloads.flatMap((file) => ['-r', file]);
    const args = [...LOADER, ...loaded, ...PROGRAM];
    return new PlainMcp(spawn(process.execPath, args, { cwd: ROOT, env: environment(url, key) }));
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async line(): Promise<string> {
    const [chunk] = (await once(this.child.stdout, 'data')) as [Buffer];
    return chunk.toString();
  }

  /** Closes its standard input, like a client that disconnects. */
  closeInput(): void {
    this.child.stdin.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async end(): Promise<{ code: unknown; out: string; err: string }> {
    const [code] = await this.ended;
    return { code, out: await this.out, err: await this.err };
  }
}

const environment = (url: string, key: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  UPTIME_URL: url,
  UPTIME_API_KEY: key,
});
