import type { AssertionDto, HeaderDto, UpdateEndpointDto } from '../endpoint.dto';

/** Placeholders for items with a missing field. They preserve the positions of the other items. */
const HEADER: HeaderDto = { key: 'Accept', value: '' };
const ASSERTION: AssertionDto = { source: 'response_time', comparison: 'less_than', target: '1' };

/**
 * Returns the DTO without its malformed fields, in a form that can be validated. Replaces incomplete headers and
 * assertions with placeholders and lists their pointers.
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
