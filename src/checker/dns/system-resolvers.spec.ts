import { SystemResolvers } from './system-resolvers';

describe('the resolvers of the machine', () => {
  it('reads the resolvers in every format of the system', () => {
    const listed = ['10.0.0.1', '127.0.0.1:5353', '::1', '[::1]:5353', 'fe80::1%eth0', '2001:db8::53', 'nonsense'];
    expect(new SystemResolvers(() => listed).list()).toEqual([
      { address: '10.0.0.1', port: 53 },
      { address: '127.0.0.1', port: 5353 },
      { address: '::1', port: 53 },
      { address: '::1', port: 5353 },
      { address: 'fe80::1%eth0', port: 53 },
      { address: '2001:db8::53', port: 53 },
    ]);
  });

  it('does not read the list of resolvers again for every check', () => {
    let reads = 0;
    const resolvers = new SystemResolvers(() => [`10.0.0.${(reads += 1)}`]);
    resolvers.list();
    expect(resolvers.list()).toEqual([{ address: '10.0.0.1', port: 53 }]);
  });
});
