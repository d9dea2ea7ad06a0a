(* A first Tron bot: it rides to a random free cell. Read, change, win. *)

let width, height = 30, 20
let directions = [ "UP", (0, -1); "DOWN", (0, 1); "LEFT", (-1, 0); "RIGHT", (1, 0) ]

(* (x, y) -> whose trail is there *)
let trails = Hashtbl.create 600

(* Reads the line of a player: where its trail begins, and where it is now. Returns the latter. *)
let read_player player =
  Scanf.scanf " %d %d %d %d" (fun x0 y0 x y ->
    if x = -1 then
      (* it is out, and its trail is gone *)
      Hashtbl.filter_map_inplace (fun _ owner -> if owner = player then None else Some owner) trails
    else begin
      Hashtbl.replace trails (x0, y0) player;
      Hashtbl.replace trails (x, y) player
    end;
    (x, y))

let play_turn player_count me =
  let heads = Array.init player_count read_player in
  let my_x, my_y = heads.(me) in
  let is_free (_, (dx, dy)) =
    let x, y = my_x + dx, my_y + dy in
    0 <= x && x < width && 0 <= y && y < height && not (Hashtbl.mem trails (x, y))
  in
  let ways = List.map fst (List.filter is_free directions) in
  (* print_endline flushes, too *)
  print_endline (if ways = [] then "UP" else List.nth ways (Random.int (List.length ways)))

  (* Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
     and take the way with the most. *)

let () =
  Random.self_init ();
  try
    while true do
      Scanf.scanf " %d %d" play_turn
    done
  with End_of_file -> ()
