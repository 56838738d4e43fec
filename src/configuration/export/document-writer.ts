import { setImmediate as nextTurn } from 'node:timers/promises';
import { problems } from '../../platform/problem/problem';
import type { Declarations, WebsiteToDeclare } from './declarations';
import type { Layout, Section } from './layout';
import type { EndpointRows } from './rows';

/** The maximum number of characters in a document, which is held in memory until its head can be written. */
const MOST_TEXT = 32 * 1024 * 1024;
/** How long to work before yielding to other work. */
const TURN_MS = 10;

const TOO_LONG =
  'The document would be longer than 32 MiB. Export it in parts: use ?owner= to export the resources of one owner at a time.';

export interface WrittenBody {
  parts: readonly string[];
  resources: number;
}

/** Writes resources as text. Use one writer for each document. */
export class DocumentWriter {
  private readonly parts: string[] = [];
  private size = 0;
  private resources = 0;
  private turnBegan = performance.now();

  constructor(
    private readonly layout: Layout,
    private readonly declarations: Declarations,
  ) {}

  /**
   * Writes all sections. `read` returns endpoints by UUID, in the given order. Throws `conflict` if the text is too
   * long.
   */
  async write(read: (ids: readonly string[]) => AsyncIterable<EndpointRows>): Promise<WrittenBody> {
    await this.section('contacts', this.declarations.contacts());
    await this.section('probes', this.declarations.probes());
    await this.websites(read);
    await this.section('maintenance_windows', this.declarations.windows());
    await this.section('status_pages', this.declarations.pages());
    this.add(this.layout.end());
    return { parts: this.parts, resources: this.resources };
  }

  private async websites(read: (ids: readonly string[]) => AsyncIterable<EndpointRows>): Promise<void> {
    const websites: WebsiteToDeclare[] = [];
    for (const website of this.declarations.websites()) {
      websites.push(website);
      await this.turn();
    }
    const endpoints = read(websites.flatMap((website) => website.endpoints))[Symbol.asyncIterator]();
    let next = await endpoints.next();
    await this.section(
      'websites',
      websites.map(({ website }) => website),
      async (place) => {
        const here = new Set(websites[place]?.endpoints);
        let count = 0;
        for (; next.done !== true && here.has(next.value.endpoint.id); next = await endpoints.next()) {
          const declared = this.declarations.endpoint(next.value);
          this.resources += 1 + declared.alerts.length;
          this.add(this.layout.endpoint(declared, count++));
          await this.turn();
        }
        return count;
      },
    );
  }

  /** Writes a section. `endpointsOf` writes the endpoints for the last item and returns how many there are. */
  private async section(
    name: Section,
    items: readonly object[],
    endpointsOf: (place: number) => Promise<number> = () => Promise.resolve(0),
  ): Promise<void> {
    if (items.length === 0) return;
    this.add(this.layout.section(name));
    for (const [place, item] of items.entries()) {
      this.resources++;
      this.add(this.layout.item(item, place));
      this.add(this.layout.itemEnd(await endpointsOf(place)));
      await this.turn();
    }
    this.add(this.layout.sectionEnd());
  }

  private add(text: string): void {
    this.size += text.length;
    if (this.size > MOST_TEXT) throw problems.conflict(TOO_LONG);
    this.parts.push(text);
  }

  private async turn(): Promise<void> {
    if (performance.now() - this.turnBegan < TURN_MS) return;
    await nextTurn();
    this.turnBegan = performance.now();
  }
}
