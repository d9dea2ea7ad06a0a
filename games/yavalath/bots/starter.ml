(* A first Yavalath bot: it plays a random empty cell. Read, change, win. *)

(* The cells of a row that are empty: 0 empty, 1 your stone, 2 your opponent's *)
let empty_in y row =
  List.filter (fun (x, _) -> row.[x] = '0') (List.init (String.length row) (fun x -> (x, y)))

let play_turn row_count (* always 9 *) =
  let rows = List.init row_count (fun y -> Scanf.scanf " %s" (empty_in y)) in
  (* your opponent's last move; -1 -1 if you begin *)
  let _last_x, _last_y = Scanf.scanf " %d %d" (fun x y -> (x, y)) in

  let empty_cells = Array.of_list (List.concat rows) in
  let x, y = empty_cells.(Random.int (Array.length empty_cells)) in
  Printf.printf "%d %d hello\n%!" x y

  (* Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions from
     each empty cell, leave out the cells that make a 3, and take the one that makes a 4. *)

let () =
  Random.self_init ();
  (* 1 if you begin, 2 if your opponent does *)
  let _my_id = Scanf.scanf " %d" Fun.id in
  try
    while true do
      Scanf.scanf " %d" play_turn
    done
  with End_of_file -> ()
