/** The list of keys, opened with `?` or its button, and closed with Escape. */
import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ['1 to 5', 'switch the view'],
  ['/', 'search the transcript'],
  ['Enter, Shift-Enter', 'in the search: the next or previous match'],
  ['← →', 'timeline: the next bar; machine: the next decision'],
  ['Shift-← Shift-→', 'timeline: move'],
  ['+ − 0', 'timeline: zoom in, zoom out, show everything'],
  ['Enter', 'timeline: show the bar in the transcript'],
  ['?', 'this list'],
];

export function KeysHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => {
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === '?' && !(event.target instanceof HTMLInputElement)) open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button type="button" class="keys-button" onClick={open} aria-label="Keys" title="Keys (press ?)">
        ?
      </button>
      <dialog ref={dialog} class="keys" aria-label="Keys">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([keys, effect]) => (
            <div key={keys + effect}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{effect}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}
