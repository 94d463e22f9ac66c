/** A table that becomes a list of cards where the window is narrow. */
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** By what the service sorts for this column. */
  readonly sort?: string;
  /** Whether large values are what one looks for first. */
  readonly largestFirst?: boolean;
  readonly number?: boolean;
  readonly title?: string;
}

export interface Sorting {
  readonly by: string;
  readonly order: "asc" | "desc";
  readonly change: (by: string, order: "asc" | "desc") => void;
}

interface Props<Row> {
  readonly caption: string;
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly classOf?: (row: Row) => string;
}

// Roles are spelled out, because cards are no table for CSS, and browsers then forget them.
export function Table<Row>(props: Props<Row>) {
  const { caption, columns, rows, keyOf, sorting, classOf } = props;
  return (
    <div class="table-box">
      {sorting && <NarrowSorting columns={columns} sorting={sorting} />}
      <table class="table" role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" class={classOf?.(row)}>
              {columns.map((column, place) => {
                const shared = { class: column.number ? "num" : "", "data-label": column.label };
                return place === 0 ? (
                  <th key={column.id} role="rowheader" scope="row" {...shared}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.id} role="cell" {...shared}>
                    {column.cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head<Row>(props: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { column, sorting } = props;
  const kind = column.number ? "num" : "";
  if (!sorting || column.sort === undefined) {
    return (
      <th role="columnheader" scope="col" class={kind} title={column.title}>
        {column.label}
      </th>
    );
  }
  const by = column.sort;
  const current = sorting.by === by ? sorting.order : null;
  const first = column.largestFirst ? "desc" : "asc";
  const next = current === null ? first : current === "asc" ? "desc" : "asc";
  return (
    <th
      role="columnheader"
      scope="col"
      class={kind}
      title={column.title}
      aria-sort={current === null ? "none" : current === "asc" ? "ascending" : "descending"}
    >
      <button type="button" class="sort" onClick={() => sorting.change(by, next)}>
        {column.label}
        <span class="sort-mark" aria-hidden="true">
          {current === "asc" ? "▲" : current === "desc" ? "▼" : ""}
        </span>
      </button>
    </th>
  );
}

function NarrowSorting<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting;
}) {
  const { columns, sorting } = props;
  const sortable = columns.filter((column) => column.sort !== undefined);
  return (
    <div class="narrow-sorting">
      <label>
        Sort by{" "}
        <select
          value={sorting.by}
          onChange={(event) => {
            const by = event.currentTarget.value;
            const column = sortable.find((each) => each.sort === by);
            sorting.change(by, column?.largestFirst ? "desc" : "asc");
          }}
        >
          {!sortable.some((column) => column.sort === sorting.by) && (
            <option value={sorting.by}>{sorting.by}</option>
          )}
          {sortable.map((column) => (
            <option key={column.id} value={column.sort}>
              {column.label}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-label={sorting.order === "asc" ? "Ascending" : "Descending"}
        onClick={() => sorting.change(sorting.by, sorting.order === "asc" ? "desc" : "asc")}
      >
        {sorting.order === "asc" ? "▲" : "▼"}
      </button>
    </div>
  );
}
