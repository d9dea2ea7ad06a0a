let () =
  while true do
    let turn = int_of_string (input_line stdin) in
    prerr_endline ("turn " ^ string_of_int turn);
    print_endline ("REPLY " ^ string_of_int turn);
  done
