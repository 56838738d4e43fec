import type { AssertionDto, HeaderDto, UpdateEndpointDto } from '../endpoint.dto';

/** Stand in for items of which a field is missing, so that the others keep their places. */
const HEADER: HeaderDto = { key: 'Accept', value: '' };
const ASSERTION: AssertionDto = { source: 'response_time', comparison: 'less_than', target: '1' };

/**
 * A dto from which fields of the wrong shape were taken out, so that it can be judged: incomplete headers and assertions are
 * replaced, and their pointers listed.
 */
export function judgeable(sent: UpdateEndpointDto): { dto: UpdateEndpointDto; incomplete: string[] } {
  const incomplete: string[] = [];
  const filled = <Item extends object>(
    list: Item[] | null | undefined,
    name: string,
    needed: (keyof Item)[],
    other: Item,
  ) =>
    list?.map((item, i): Item => {
      if (needed.every((key) => item[key] !== undefined)) return item;
      incomplete.push(`/${name}/${i}/`);
      return other;
    });
  const headers = filled(sent.headers, 'headers', ['key', 'value'], HEADER);
  const assertions = filled(sent.assertions, 'assertions', ['source', 'comparison', 'target'], ASSERTION);
  const [noHeaders, noAssertions] = [sent.headers, sent.assertions].map((list) => (list === null ? null : undefined));
  return { dto: { ...sent, headers: headers ?? noHeaders, assertions: assertions ?? noAssertions }, incomplete };
}
