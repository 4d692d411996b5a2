/** The turns of a session: a table with their time, money and recoveries, and a list to choose one from. */
import { isFailedEnd, type Run } from '../../model/runs.ts';
import { countText, durationText, moneyText, visibleText, words } from '../data/format.ts';

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly onSelect: (line: number) => void;
  readonly onZoom: (run: Run) => void;
}

/** More rows would slow the page down. The turn can be chosen above. */
const MAX_ROWS = 200;

export function RunTable({ runs, onSelect, onZoom }: RunTableProps) {
  return (
    <div class="table">
      <table class="runs">
        <thead>
          <tr>
            <th>turn</th>
            <th>time</th>
            <th>requests</th>
            <th>tools</th>
            <th>output</th>
            <th>cost</th>
            <th>end</th>
          </tr>
        </thead>
        <tbody>
          {runs.slice(-MAX_ROWS).map((run) => (
            <tr key={run.index}>
              <td>
                <button type="button" class="link" onClick={() => onSelect(run.firstLine)}>
                  {run.index + 1}. {visibleText(run.prompt)}
                </button>
                <div class="recoveries">
                  {[...run.recoveries].map(([name, count]) => (
                    <span key={name} class="chip">
                      {words(name)}
                      {count > 1 ? ` ×${count}` : ''}
                    </span>
                  ))}
                </div>
              </td>
              <td>
                <button type="button" class="link" onClick={() => onZoom(run)} title="Show this turn only">
                  {durationText(run.to - run.from)}
                </button>
              </td>
              <td>{countText(run.requests)}</td>
              <td class={run.failedTools > 0 ? 'bad-text' : ''}>{countText(run.tools)}</td>
              <td>{countText(run.tokens.output)}</td>
              <td>{moneyText(run.costUsd)}</td>
              <td class={isFailedEnd(run.end) ? 'bad-text' : 'dim'}>
                {words(run.end?.reason ?? 'unfinished')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RunPickerProps {
  readonly runs: readonly Run[];
  readonly onPick: (run: Run | undefined) => void;
}

export function RunPicker({ runs, onPick }: RunPickerProps) {
  return (
    <select aria-label="Turn" onChange={(event) => onPick(runs[Number(event.currentTarget.value)])}>
      <option value="-1">All turns</option>
      {runs.map(({ index, prompt, from, to }) => (
        <option key={index} value={index}>
          {index + 1}. {visibleText(prompt.slice(0, 60))} ({durationText(to - from)})
        </option>
      ))}
    </select>
  );
}
