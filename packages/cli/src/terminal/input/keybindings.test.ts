/** The user's own keys: what a file binds, and which of its problems are reported. */
import { describe, expect, it } from 'vitest';
import { clipboardReaders } from './clipboard-image.ts';
import { nameOfKey, readKeybindings, resolveKey } from './keybindings.ts';

function fileWith(bindings: object, context = 'Chat'): string {
  return JSON.stringify({ bindings: [{ context, bindings }] }, null, 2);
}

describe('a file of keybindings', () => {
  it('binds keys to actions, sequences and commands, and unbinds others', () => {
    const { bindings, problems } = readKeybindings(
      fileWith({
        'ctrl+e': 'chat:externalEditor',
        'Meta+Enter': 'chat:submit',
        'ctrl+x ctrl+s': 'command:status',
        'ctrl+u': null,
        f2: 'chat:cycleMode',
      }),
    );
    expect(problems).toEqual([]);
    const press = (key: object, pending = '') => resolveKey(bindings, pending, key);
    expect(press({ name: 'e', ctrl: true })).toMatchObject({ kind: 'key', key: { name: 'g', ctrl: true } });
    expect(press({ name: 'return', meta: true })).toMatchObject({ key: { name: 'return' } });
    expect(press({ name: 'x', ctrl: true })).toEqual({ kind: 'wait', pending: 'ctrl+x' });
    expect(press({ name: 's', ctrl: true }, 'ctrl+x')).toEqual({ kind: 'command', name: 'status' });
    expect(press({ sequence: 'q' }, 'ctrl+x')).toEqual({ kind: 'nothing' });
    expect(press({ name: 'u', ctrl: true })).toEqual({ kind: 'nothing' });
    expect(press({ name: 'f2' })).toMatchObject({ key: { name: 'tab', shift: true } });
    expect(press({ sequence: 'hello' })).toEqual({ kind: 'key', key: { sequence: 'hello' } });
  });

  it.each([
    [fileWith({ 'ctrl+t': 'chat:nothing' }), 6, 'The action "chat:nothing" does not exist.'],
    [fileWith({ 'ctrl+t': 7 }), 6, 'The action 7 does not exist.'],
    [fileWith({ 'ctrl+c': null }), 6, 'ctrl+c always has the same effect.'],
    [fileWith({ 'ctrl+m': 'chat:undo' }), 6, 'Terminals cannot tell ctrl+m from Enter.'],
    [fileWith({ x: 'chat:undo' }), 6, 'x is typed text. Add ctrl or alt.'],
    [fileWith({ 'ctrl+ent': 'chat:undo' }), 6, 'ctrl+ent is not a key.'],
    [fileWith({ 'cmd+k': 'chat:undo' }), 6, 'cmd is not a modifier.'],
    [fileWith({ 'ctrl+t': 'chat:undo' }, 'Sidebar'), 4, 'The context Sidebar does not exist here.'],
    ['{ "bindings": {} }', 1, 'bindings is not a list.'],
    ['[]', 1, 'bindings is not a list.'],
    ['{\n "bindings": [\n oops', 3, 'The file is not valid JSON from here on.'],
  ])('reports %s with its line, and keeps the default keys', (text, line, message) => {
    const { bindings, problems } = readKeybindings(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line, message: expect.stringContaining(message) });
    expect(bindings.size).toBe(0);
  });

  it('names keys in one way, in any order of modifiers', () => {
    expect(nameOfKey({ name: 'return', shift: true, ctrl: true })).toBe('ctrl+shift+enter');
    expect(nameOfKey({ name: 'enter', sequence: '\n' })).toBe('ctrl+j');
    expect(nameOfKey({ name: 'x', meta: true })).toBe('alt+x');
  });
});

describe('the program that reads an image from the clipboard', () => {
  it.each([
    ['linux', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }, ['wl-paste', 'xclip']],
    ['linux', { DISPLAY: ':0' }, ['xclip']],
    ['linux', { WSL_DISTRO_NAME: 'Ubuntu' }, ['powershell.exe']],
    ['linux', {}, []],
    ['darwin', {}, ['pngpaste', 'osascript']],
    ['win32', {}, ['powershell.exe']],
  ] as const)('is found on %s with %o', (platform, env, programs) => {
    expect(clipboardReaders(platform, env, '/file.png').map(({ program }) => program)).toEqual(programs);
  });
});
