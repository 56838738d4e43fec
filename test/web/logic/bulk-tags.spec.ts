import { changedTags } from '../../../web/src/logic/bulk-tags';

describe('tags of several endpoints, changed together', () => {
  it.each([
    ['adds a tag to the existing ones', ['shop'], ['eu'], [], ['shop', 'eu']],
    ['removes a tag', ['shop', 'eu'], [], ['eu'], ['shop']],
    ['removes all tags', ['shop'], [], ['shop'], []],
    ['replaces a tag with another', ['shop'], ['store'], ['shop'], ['store']],
    ['keeps a tag that is both added and removed', [], ['eu'], ['eu'], ['eu']],
    ['changes nothing if the tag to add exists', ['shop', 'eu'], ['eu'], [], null],
    ['changes nothing if the tag to remove does not exist', ['shop'], [], ['eu'], null],
  ])('%s', (_case, tags, added, removed, expected) => {
    expect(changedTags(tags, added, removed)).toEqual(expected);
  });
});
