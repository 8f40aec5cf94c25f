import { type Board, columns, count, rows } from '../board.ts'

export const filings: Board = {
  uid: 'farebox-filings',
  title: 'Company filings',
  description: 'What do companies file, and what happened to them?',
  from: 'now-30d',
  glance: [
    count('Companies', 'short', 'select count() from company_now', {
      description: 'Filers whose profile is known.',
      runbook: 'analysts',
    }),
    count('Filings', 'short', 'select count() from company_filings where $__dateFilter(filed)', {
      description: 'Filed in the time shown.',
      runbook: 'analysts',
    }),
    count('Newest filing', 'string', 'select toString(max(filed)) from company_filings', {
      description: 'The day of the newest filing that is known.',
      runbook: 'sourcestale',
    }),
  ],
  panels: [
    columns(
      'Filings by form',
      'short',
      'select form, count() as filings from company_filings where $__dateFilter(filed) group by form order by filings desc limit 15',
      { description: 'The most common forms in the time shown.', runbook: 'analysts' },
    ),
    rows(
      'The newest events',
      'short',
      'select filed, name, form, items, summary from company_events left join company_now using (cik) order by filed desc limit 50',
      { description: 'Current reports (8-K), with what they say.', runbook: 'analysts' },
    ),
    columns(
      'Filings a day',
      'short',
      'select toString(filed) as day, count() as filings from company_filings where $__dateFilter(filed) group by day order by day',
      { description: 'In the time shown.', runbook: 'analysts' },
    ),
  ],
}
