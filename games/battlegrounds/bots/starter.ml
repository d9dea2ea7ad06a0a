(* A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
   It speaks the line protocol of the rules page: a block of lines for each call, one line back. *)

let side = 25
let me = (12, 12) (* the middle of what I see *)
let ways = [ 1; 2; 3; 4; 6; 7; 8; 9 ] (* 5 is the bot itself *)

let words line = String.split_on_char ' ' line
let read_numbers () = List.map int_of_string (words (read_line ()))
let read_lines count = List.init count (fun _ -> read_line ())
let read_counted () = read_lines (int_of_string (read_line ()))
let beside (x, y) way = (x + ((way - 1) mod 3) - 1, y + ((way - 1) / 3) - 1)

(* A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent *)
let cell view (x, y) = view.(y).[x]

(* How many of the eight neighbours are alive. Bots count as alive. *)
let live_neighbours view place =
  List.length (List.filter (fun way -> cell view (beside place way) <> '0') ways)

(* Actions, and perhaps a message *)
let choose view =
  let alive = live_neighbours view me in
  let dead = List.filter (fun way -> cell view (beside me way) = '0') ways in
  (* My own cell is dead once I have left it, so it counts no more. *)
  let will_not_hurt way = List.mem (live_neighbours view (beside me way) - 1) [ 2; 3 ] in
  if List.mem alive [ 2; 3 ] then "" (* the generation at the end of this turn will not hurt *)
  else
    match List.find_opt will_not_hurt dead with
    | Some way -> Printf.sprintf "%d say 4" way (* 4 means: come here *)
    | None ->
        (* Alone? Then wake up neighbours until there are three. *)
        String.concat " " (List.filteri (fun i _ -> i < 3 - alive) (List.map (fun way -> string_of_int (-way)) dead))

let size = ref 0 (* the board's *)

let answer = function
  | [ "init"; _number (* mine, 2 to 5 *); board_size ] ->
      size := int_of_string board_size;
      let _board = read_lines !size (* before anybody is on it *) in
      "ok"
  | "parachute" :: _ -> (
      (* ten times: where do I land? The team: what each of us said last, or -1 -1 *)
      let team = List.init 4 (fun _ -> read_numbers ()) in
      match List.find_opt (fun mate -> List.nth mate 1 >= 0) team with
      | Some mate -> Printf.sprintf "%d %d" (List.nth mate 1) (List.nth mate 2)
      | None -> Printf.sprintf "%d %d" (!size / 2) (!size / 2))
  | call :: _turn ->
      (* 25 times start, while nothing lives or dies; then main, each turn until the end *)
      let _place = read_numbers () (* where I am on the board *) in
      let view = Array.of_list (read_lines side) in
      let _team = if call = "main" then read_counted () else [] (* number, x, y of us who live *) in
      let _chat = read_counted () (* number and text, since last turn *) in
      if call = "main" then choose view else ""
  | [] -> ""

let () =
  try
    while true do
      (* print_endline flushes, too *)
      print_endline (answer (words (read_line ())))
    done
  with End_of_file -> ()

(* Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
   look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least. *)
