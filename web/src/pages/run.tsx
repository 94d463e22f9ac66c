export function RunPage(props: { readonly run: string; readonly query: URLSearchParams }) {
  return (
    <div class="page">
      <h1>{props.run}</h1>
    </div>
  );
}
