import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { AttendedChecker } from './attended-checker';
import { Checker, SPEC_CHECKER_TYPES } from './checker';
import { CheckerRegistry } from './checker.registry';

/** Creates a minimal checker for a type, with the members that the registry reads. */
function checkerOf(type: string, name = `${type}Checker`): Type {
  const made = { [name]: class {} }[name];
  if (!made) throw new Error('no class was made');
  Checker(type)(made);
  return made;
}

const specCheckers = SPEC_CHECKER_TYPES.map((type) => checkerOf(type));

async function start(providers: Type[], elsewhere: Type[] = []): Promise<CheckerRegistry> {
  @Module({ providers: elsewhere })
  class ForeignModule {}
  const app = await Test.createTestingModule({
    imports: [DiscoveryModule, ForeignModule],
    providers: [CheckerRegistry, ...providers],
  }).compile();
  await app.init();
  return app.get(CheckerRegistry);
}

describe('the registry of checkers', () => {
  it('finds every checker by its type, also in another module', async () => {
    const registry = await start(specCheckers.slice(1), [...specCheckers.slice(0, 1), checkerOf('REDIS')]);
    expect(registry.types()).toEqual([...SPEC_CHECKER_TYPES, 'REDIS']);
    expect(registry.get('HTTP').constructor.name).toBe('HTTPChecker');
    expect(registry.has('REDIS')).toBe(true);
    expect(registry.get('REDIS')).toBeInstanceOf(AttendedChecker);
  });

  it.each(['before', 'after'])(
    "keeps an extension's checker of a type that a release added, found %s it",
    async (order) => {
      const [own, theirs] = [checkerOf('REDIS', 'OwnChecker'), checkerOf('REDIS', 'TheirChecker')];
      @Module({ providers: [own] })
      class CheckerModule {}
      @Module({ providers: [theirs] })
      class TheirModule {}
      const modules = order === 'before' ? [TheirModule, CheckerModule] : [CheckerModule, TheirModule];
      const app = await Test.createTestingModule({
        imports: [DiscoveryModule, ...modules],
        providers: [CheckerRegistry, ...specCheckers],
      }).compile();
      await app.init();
      const found = app.get(CheckerRegistry).get('REDIS');
      expect(found instanceof AttendedChecker && found.checker.constructor.name).toBe('TheirChecker');
    },
  );

  it('has no checker of a type that is not registered', async () => {
    const registry = await start(specCheckers);
    expect(registry.has('http')).toBe(false);
    expect(registry.has('toString')).toBe(false);
    expect(() => registry.get('GOPHER')).toThrow('There is no checker of type "GOPHER"');
  });

  it('does not start without a built-in checker type, and names all that are missing', async () => {
    await expect(start(specCheckers.slice(2))).rejects.toThrow('No checker is registered for: HTTP, HTTPS');
  });

  it('does not start with two checkers of one type, and names both', async () => {
    await expect(start([...specCheckers, checkerOf('TCP', 'OtherChecker')])).rejects.toThrow(
      'Checker "TCP" is registered twice: by TCPChecker and by OtherChecker',
    );
  });
});
