import { firstInCycle } from './cycles';

const graph = (edges: string): Map<string, readonly string[]> =>
  new Map(
    edges.split(' ').map((edge) => {
      const [id = '', parents = ''] = edge.split(':');
      return [id, parents === '' ? [] : parents.split('')];
    }),
  );

describe('resources that depend on themselves', () => {
  it.each([
    ['nothing', 'a: b:', false],
    ['nothing in a chain', 'a:b b:c c:', false],
    ['nothing that two depend on', 'a:bc b:d c:d d:', false],
    ['an endpoint that names itself', 'a:a', true],
    ['two that name each other', 'a:b b:a', true],
    ['a long way round', 'a:b b:c c:d d:b', true],
    ['something outside of the document', 'a:x', false],
  ])('%s: %s', (_, edges, isCycle) => {
    const parents = graph(edges);
    expect(firstInCycle([...parents.keys()], parents) !== null).toBe(isCycle);
  });
});
